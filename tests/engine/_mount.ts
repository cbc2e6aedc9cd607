/** File systems of a test's own, where the process may mount some. */

/** A mounted file system; gone when disposed of. */
export class Mount implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** A file system in memory of so many bytes; undefined, and a word why, where none may be mounted. */
  static async memory(path: string, bytes: number): Promise<Mount | undefined> {
    return await Mount.#at(path, ["-t", "tmpfs", "-o", `size=${bytes}`, "none", path]);
  }

  /** `from` at `path`, read-only. */
  static async readOnly(from: string, path: string): Promise<Mount | undefined> {
    return await Mount.#at(path, ["--bind", "-o", "ro", from, path]);
  }

  static async #at(path: string, args: string[]): Promise<Mount | undefined> {
    await Deno.mkdir(path, { recursive: true });
    const failure = await run("mount", args);
    if (failure === undefined) return new Mount(path);
    console.log(`(left out: nothing can be mounted here: ${failure})`);
    return undefined;
  }

  /** Gives a file system in memory another size. */
  async resize(bytes: number): Promise<void> {
    const failure = await run("mount", ["-o", `remount,size=${bytes}`, this.path]);
    if (failure !== undefined) throw new Error(failure);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const failure = await run("umount", [this.path]);
    if (failure !== undefined) throw new Error(failure);
  }
}

/** What a command said where it failed. */
async function run(command: string, args: string[]): Promise<string | undefined> {
  try {
    const { success, stderr } = await new Deno.Command(command, { args }).output();
    return success ? undefined : new TextDecoder().decode(stderr).trim();
  } catch (error) {
    return (error as Error).message; // no such command here
  }
}
