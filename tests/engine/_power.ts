/**
 * What is on a disk after the power failed: a run's file operations are recorded with strace, and the
 * folder is rebuilt as it could have been at any moment, with bytes and names that had not been
 * synced dropped, kept in part, or kept out of order.
 */

import { dirname, join } from "node:path";

const CALLS = [
  ...["open", "openat", "creat", "close", "dup", "dup2", "dup3", "fcntl", "lseek"],
  ...["write", "pwrite64", "writev", "pwritev", "pwritev2", "fsync", "fdatasync", "fallocate"],
  ...["ftruncate", "truncate", "rename", "renameat", "renameat2", "unlink", "unlinkat"],
  ...["mkdir", "mkdirat", "rmdir", "link", "linkat", "sync_file_range", "copy_file_range"],
];

/** What stands before a command whose file operations are recorded into `trace`. */
export function recorder(trace: string): string[] {
  return [
    ...["strace", "-f", "-q", "--seccomp-bpf", "-xx", "-s", String(1 << 24), "-o", trace],
    ...["-e", `trace=${CALLS.join(",")}`, "-e", "signal=none"],
  ];
}

/** Whether there is a strace that can do it; says why not. */
export async function canRecord(): Promise<boolean> {
  try {
    const trace = await Deno.makeTempFile();
    const [command, ...args] = [...recorder(trace), "true"];
    const { success, stderr } = await new Deno.Command(command!, { args }).output();
    await Deno.remove(trace);
    if (success) return true;
    console.log(`(left out: strace cannot be used: ${new TextDecoder().decode(stderr).trim()})`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log("(left out: it needs strace)");
  }
  return false;
}

/** A system call that has returned. */
export interface Call {
  readonly name: string;
  /** Arguments that are no strings, and placeholders for those that are. */
  readonly args: readonly string[];
  readonly strings: readonly Uint8Array[];
  readonly result: number;
  /** Calls that had returned when this one began: what it may have seen. */
  readonly begun: number;
}

/** Reads a recording, in the order in which the calls returned. */
export async function* readTrace(path: string): AsyncGenerator<Call, void, void> {
  const unfinished = new Map<string, { text: string; begun: number }>();
  let count = 0;
  for await (const line of lines(path)) {
    const space = line.indexOf(" ");
    const thread = line.slice(0, space);
    let text = line.slice(space).trimStart();
    let begun = count;
    if (text.endsWith("<unfinished ...>")) {
      unfinished.set(thread, { text: text.slice(0, -"<unfinished ...>".length), begun });
      continue;
    }
    if (text.startsWith("<... ")) {
      const start = unfinished.get(thread);
      if (start === undefined) continue; // a call that began before it was recorded
      unfinished.delete(thread);
      text = start.text + text.slice(text.indexOf(">") + 1);
      begun = start.begun;
    }
    const call = parseCall(text, begun);
    if (call === undefined) continue;
    count++;
    yield call;
  }
}

function parseCall(text: string, begun: number): Call | undefined {
  const open = text.indexOf("("), end = text.lastIndexOf(" = ");
  if (open <= 0 || end < 0) return undefined;
  const result = Number.parseInt(text.slice(end + 3));
  const strings: Uint8Array[] = [];
  let bare = "";
  for (let at = open + 1; at < end;) {
    const quote = text.indexOf('"', at);
    if (quote < 0 || quote >= end) {
      bare += text.slice(at, end);
      break;
    }
    const close = text.indexOf('"', quote + 1);
    bare += text.slice(at, quote) + "$";
    strings.push(unescape(text, quote + 1, close));
    at = close + 1;
  }
  if (bare.includes("$...")) throw new Error(`The recording has cut a string: ${bare}`);
  const args = bare.replace(/\)\s*$/, "").split(", ");
  return { name: text.slice(0, open), args, strings, result, begun };
}

/** `\x2f\x74…`, whole. */
function unescape(text: string, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array((to - from) / 4);
  for (let i = 0, at = from + 2; i < bytes.length; i++, at += 4) {
    bytes[i] = hex(text.charCodeAt(at)) << 4 | hex(text.charCodeAt(at + 1));
  }
  return bytes;
}

function hex(code: number): number {
  return code < 58 ? code - 48 : code - 87;
}

async function* lines(path: string): AsyncGenerator<string, void, void> {
  using file = await Deno.open(path);
  const decoder = new TextDecoder("latin1");
  const chunk = new Uint8Array(1 << 20);
  let parts: string[] = [];
  for (let n; (n = await file.read(chunk)) !== null;) {
    const text = decoder.decode(chunk.subarray(0, n));
    let from = 0;
    for (let end; (end = text.indexOf("\n", from)) >= 0; from = end + 1) {
      parts.push(text.slice(from, end));
      yield parts.join("");
      parts = [];
    }
    parts.push(text.slice(from));
  }
}

/** A change of a file that is not synced yet. */
type Change =
  | { readonly at: number; readonly bytes: Uint8Array; readonly order: number }
  | { readonly size: number; readonly order: number };

interface File {
  /** Content that is on the disk for certain. */
  synced: Uint8Array;
  pending: Change[];
  /** Length that the process sees. */
  size: number;
}

/** A change of names in a folder that is not synced yet. */
interface Naming {
  readonly order: number;
  /** Names, and the file that each has from now on; undefined for none. */
  readonly names: readonly (readonly [path: string, file: File | undefined])[];
}

interface Open {
  readonly path: string;
  readonly file: File | undefined;
  position: number;
  readonly append: boolean;
}

/** The files of one folder, as the process sees them and as the disk holds them. */
export class Disk {
  readonly #root: string;
  #names = new Map<string, File>();
  #durable = new Map<string, File>();
  #naming = new Map<string, Naming[]>();
  #open = new Map<number, Open>();
  #order = 0;
  /** Everything written to descriptor 1. */
  stdout = "";

  constructor(root: string) {
    this.#root = root;
  }

  /** Carries out a call; whether it concerned the folder. */
  apply(call: Call): boolean {
    this.#order++;
    if (call.result < 0 || Number.isNaN(call.result)) return false;
    const { name, args, strings } = call;
    const fd = Number(args[0]);
    switch (name) {
      case "open":
      case "creat":
        return this.#opened(strings[0]!, name === "creat" ? "O_CREAT|O_TRUNC" : args[1]!, call);
      case "openat":
        return this.#opened(strings[0]!, args[2]!, call);
      case "close":
        return this.#open.delete(fd);
      case "dup":
      case "dup2":
      case "dup3":
        return this.#duplicate(fd, call.result);
      case "fcntl":
        return args[1]!.startsWith("F_DUPFD") && this.#duplicate(fd, call.result);
      case "lseek": {
        const open = this.#open.get(fd);
        if (open !== undefined) open.position = call.result;
        return false;
      }
      case "write": {
        if (fd === 1) this.stdout += new TextDecoder().decode(strings[0]!.subarray(0, call.result));
        const open = this.#open.get(fd);
        if (open?.file === undefined) return false;
        const at = open.append ? open.file.size : open.position;
        this.#write(open.file, at, strings[0]!.subarray(0, call.result));
        open.position = at + call.result;
        return true;
      }
      case "pwrite64": {
        const open = this.#open.get(fd);
        if (open?.file === undefined) return false;
        this.#write(open.file, Number(args[3]), strings[0]!.subarray(0, call.result));
        return true;
      }
      case "ftruncate": {
        const open = this.#open.get(fd);
        if (open?.file === undefined) return false;
        this.#truncate(open.file, Number(args[1]));
        return true;
      }
      case "fsync":
      case "fdatasync": {
        const open = this.#open.get(fd);
        if (open === undefined) return false;
        if (open.file === undefined) this.#syncNames(open.path, call.begun);
        else sync(open.file, call.begun);
        return true;
      }
      case "rename":
      case "renameat":
      case "renameat2": {
        const from = text(strings[0]!), to = text(strings[1]!);
        const file = this.#names.get(from);
        if (file === undefined) return false;
        this.#name([to, file], [from, undefined]);
        return true;
      }
      case "unlink":
      case "unlinkat": {
        const path = text(strings[0]!);
        if (!this.#names.has(path)) return false;
        this.#name([path, undefined]);
        return true;
      }
      case "mkdir":
      case "mkdirat":
      case "rmdir":
        return false; // folders are there from the start
      default: {
        const known = this.#open.get(fd)?.file !== undefined;
        if (known) throw new Error(`The disk does not know ${name}(${args.join(", ")})`);
        return false;
      }
    }
  }

  /**
   * The folder as it could be found after a power failure now: synced bytes and names, and of the
   * others what `random` (in [0, 1)) lets survive; without it, none.
   */
  afterPowerLoss(random?: () => number): Map<string, Uint8Array> {
    const names = new Map(this.#durable);
    for (const namings of this.#naming.values()) {
      // A journal keeps the order of names in a folder.
      const kept = random === undefined ? 0 : Math.floor(random() * (namings.length + 1));
      for (const naming of namings.slice(0, kept)) rename(names, naming);
    }
    return new Map([...names].map(([path, file]) => [path, survivor(file, random)]));
  }

  #opened(name: Uint8Array, flags: string, { result }: Call): boolean {
    const path = text(name);
    const isRoot = path === this.#root || path.startsWith(`${this.#root}/`);
    this.#open.delete(result);
    if (!isRoot || path.endsWith("-shm")) return false; // memory that processes share is no file
    let file = this.#names.get(path);
    if (file === undefined && flags.includes("O_CREAT")) {
      file = { synced: new Uint8Array(0), pending: [], size: 0 };
      this.#name([path, file]);
    } else if (file !== undefined && flags.includes("O_TRUNC")) this.#truncate(file, 0);
    this.#open.set(result, { path, file, position: 0, append: flags.includes("O_APPEND") });
    return true;
  }

  #duplicate(from: number, to: number): boolean {
    const open = this.#open.get(from);
    if (open === undefined) return this.#open.delete(to);
    this.#open.set(to, open);
    return true;
  }

  #write(file: File, at: number, bytes: Uint8Array): void {
    file.pending.push({ at, bytes, order: this.#order });
    file.size = Math.max(file.size, at + bytes.length);
  }

  #truncate(file: File, size: number): void {
    file.pending.push({ size, order: this.#order });
    file.size = size;
  }

  #name(...names: [path: string, file: File | undefined][]): void {
    const naming: Naming = { order: this.#order, names };
    rename(this.#names, naming);
    const dir = dirname(names[0]![0]);
    this.#naming.set(dir, [...this.#naming.get(dir) ?? [], naming]);
  }

  #syncNames(dir: string, begun: number): void {
    const namings = this.#naming.get(dir) ?? [];
    for (const naming of namings) if (naming.order <= begun) rename(this.#durable, naming);
    this.#naming.set(dir, namings.filter(({ order }) => order > begun));
  }
}

function rename(all: Map<string, File>, { names }: Naming): void {
  for (const [path, file] of names) {
    if (file === undefined) all.delete(path);
    else all.set(path, file);
  }
}

function sync(file: File, begun: number): void {
  file.synced = changed(file.synced, file.pending.filter(({ order }) => order <= begun));
  file.pending = file.pending.filter(({ order }) => order > begun);
}

function changed(bytes: Uint8Array, changes: readonly Change[]): Uint8Array {
  let size = bytes.length, room = size;
  for (const one of changes) {
    size = "size" in one ? one.size : Math.max(size, one.at + one.bytes.length);
    room = Math.max(room, size);
  }
  const after = new Uint8Array(room);
  after.set(bytes);
  for (const one of changes) {
    if ("size" in one) after.fill(0, one.size);
    else after.set(one.bytes, one.at);
  }
  return after.subarray(0, size);
}

function survivor(file: File, random: (() => number) | undefined): Uint8Array {
  if (random === undefined || file.pending.length === 0) return file.synced;
  const luck = random();
  const kept: Change[] = [];
  for (const one of file.pending) {
    if (random() >= luck) continue;
    if ("size" in one || random() < 0.7) {
      kept.push(one);
      continue;
    }
    // A write may have come to the disk in part: some of its sectors.
    const sectors = Math.floor(random() * Math.ceil(one.bytes.length / 512));
    kept.push({ ...one, bytes: one.bytes.subarray(0, 512 * sectors) });
  }
  return changed(file.synced, kept);
}

/** Writes a folder of `files` (paths below `root`) to `to`. */
export async function materialise(
  files: ReadonlyMap<string, Uint8Array>,
  root: string,
  to: string,
): Promise<void> {
  for (const [path, bytes] of files) {
    const target = join(to, path.slice(root.length));
    await Deno.mkdir(dirname(target), { recursive: true });
    await Deno.writeFile(target, bytes);
  }
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
