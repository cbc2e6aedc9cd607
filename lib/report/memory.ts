/**
 * The most memory this process has had.
 *
 * @module
 */

/**
 * Peak resident bytes: the kernel's own high-water mark (`VmHWM`) where there is one, else what is
 * resident now.
 */
export function peakMemory(): number {
  if (Deno.build.os === "linux") {
    try {
      const match = /^VmHWM:\s+(\d+) kB$/m.exec(Deno.readTextFileSync("/proc/self/status"));
      if (match !== null) return Number(match[1]) * 1024;
    } catch (error) {
      const absent = error instanceof Deno.errors.NotFound ||
        error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied;
      if (!absent) throw error;
    }
  }
  return Deno.memoryUsage().rss;
}
