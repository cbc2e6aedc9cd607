/** What the tests of this folder need of the system beside Deno. */

/** Tools by name, and the package of Debian that each comes with. */
const PACKAGES = {
  chromium: "chromium",
  shellcheck: "shellcheck",
  ssh: "openssh-client",
  "ssh-keygen": "openssh-client",
  sshd: "openssh-server",
  "systemd-analyze": "systemd",
  "systemd-sysusers": "systemd",
  "systemd-tmpfiles": "systemd",
} as const;

/** A tool that is known here. */
export type Tool = keyof typeof PACKAGES;

/**
 * Paths of tools.
 *
 * @throws {Error} Where one is not there, with the command that brings it: these tests install nothing.
 */
export function need<T extends Tool>(...tools: readonly T[]): Record<T, string> {
  const paths: Partial<Record<T, string>> = {};
  const missing: T[] = [];
  for (const tool of tools) {
    const path = find(tool);
    if (path === undefined) missing.push(tool);
    else paths[tool] = path;
  }
  if (missing.length > 0) {
    const packages = [...new Set(missing.map((tool) => PACKAGES[tool]))];
    throw new Error(
      `Cannot test: ${missing.join(", ")} not found; on Debian: apt-get install ${
        packages.join(" ")
      }`,
    );
  }
  return paths as Record<T, string>;
}

/** @throws {Error} Where the tests do not run as root: they make users in a folder that stands for a machine. */
export function needRoot(): void {
  if (Deno.uid() !== 0) {
    throw new Error("Cannot test: an installation is made by root: sudo deno task test:system");
  }
}

function find(tool: string): string | undefined {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  for (const folder of new Set([...folders, "/usr/sbin", "/usr/bin", "/sbin"])) {
    try {
      if (Deno.statSync(`${folder}/${tool}`).isFile) return `${folder}/${tool}`;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return undefined;
}

/** How a command ended, and what it said. */
export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export async function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<Said> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    ...options,
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
