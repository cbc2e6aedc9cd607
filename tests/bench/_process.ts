/**
 * What the kernel knows of this process: CPU by thread, resident memory by kind. Empty where there is no /proc.
 *
 * @module
 */

/** Resident bytes by kind of mapping. */
export type Mapped = Readonly<Record<string, number>>;

/** CPU seconds of threads, by their names, also of those that have ended since they were sampled. */
export class ThreadTimes {
  readonly #times = new Map<string, number>();

  /** Looks at every thread there is. */
  sample(): void {
    for (const id of ids()) {
      const text = read(`/proc/self/task/${id}/stat`);
      if (text === undefined) continue;
      const end = text.lastIndexOf(")");
      const fields = text.slice(end + 2).split(" ");
      const name = text.slice(text.indexOf("(") + 1, end);
      this.#times.set(`${name} ${id}`, (Number(fields[11]) + Number(fields[12])) / 100);
    }
  }

  /** By name, numbers left out; the main thread is `main`. */
  get seconds(): Record<string, number> {
    const sums: Record<string, number> = {};
    for (const [thread, seconds] of this.#times) {
      const [, name = "", id] = /^(.*) (\d+)$/.exec(thread)!;
      const kind = Number(id) === Deno.pid ? "main" : name;
      sums[kind] = (sums[kind] ?? 0) + seconds;
    }
    return sums;
  }
}

function ids(): string[] {
  try {
    return [...Deno.readDirSync("/proc/self/task")].map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** The file's text; nothing where the thread is gone. */
function read(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}

/** Resident memory of this process: V8's heaps, the allocator's, the program's own. */
export function mappedMemory(): Mapped {
  const text = read("/proc/self/smaps");
  if (text === undefined) return {};
  const sums: Record<string, number> = {};
  let kind = "";
  for (const line of text.split("\n")) {
    const head = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$/.exec(line);
    if (head !== null) {
      kind = kindOf(parseInt(head[2]!, 16) - parseInt(head[1]!, 16), head[3]!, head[4]!);
      continue;
    }
    const rss = /^Rss: +(\d+) kB$/.exec(line);
    if (rss !== null) sums[kind] = (sums[kind] ?? 0) + Number(rss[1]) * 1024;
  }
  return sums;
}

function kindOf(size: number, rights: string, path: string): string {
  if (path === "[heap]") return "brk";
  if (path.startsWith("/")) return "files";
  if (path !== "" && !path.startsWith("[anon")) return path;
  if (rights.includes("x")) return "code";
  return size > 2 ** 20 ? "anonymous, large" : "anonymous, small";
}
