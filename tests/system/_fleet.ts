/**
 * A fleet for tests of its installation: machines on loopback that are each a throw-away sshd and a root
 * folder. What the far side has of tools is its own: `systemctl` is a stand-in that writes down what it was
 * asked for and enables for real, below the root.
 */

import { existsSync } from "node:fs";
import { need, needRoot, run, type Said } from "./_tools.ts";

const INSTALL = new URL("../../deploy/install.sh", import.meta.url).pathname;
const PATIENCE_MS = 30_000;

/** One machine. */
export interface Machine {
  readonly name: string;
  /** Folder that stands for its `/`. */
  readonly root: string;
  /** Its temporary folder. */
  readonly temp: string;
}

/** The machines, and what is installed on them. */
export class Fleet implements AsyncDisposable {
  readonly dir: string;
  readonly machines: readonly Machine[];
  /** What is installed. */
  readonly binary: string;
  readonly #servers = new Map<string, Deno.ChildProcess>();
  readonly #config: string;

  /** Use {@linkcode startFleet}. */
  constructor(dir: string, machines: readonly Machine[]) {
    this.dir = dir;
    this.machines = machines;
    this.binary = `${dir}/ccrawl`;
    this.#config = `${dir}/ssh_config`;
  }

  /** Starts a machine's sshd, and waits until it answers. */
  async start(machine: Machine, port: number): Promise<void> {
    const { sshd } = need("sshd");
    await Deno.writeTextFile(
      `${this.dir}/${machine.name}.sshd`,
      [
        `Port ${port}`,
        "ListenAddress 127.0.0.1",
        `HostKey ${this.dir}/host_key`,
        "PidFile none",
        `AuthorizedKeysFile ${this.dir}/key.pub`,
        "StrictModes no",
        "UsePAM no",
        "PasswordAuthentication no",
        `SetEnv PATH=${this.dir}/${machine.name}.bin:/usr/sbin:/usr/bin:/sbin:/bin TMPDIR=${machine.temp}`,
      ].join("\n"),
    );
    const child = new Deno.Command(sshd, {
      args: ["-D", "-q", "-f", `${this.dir}/${machine.name}.sshd`],
      stdin: "null",
      stdout: "null",
      stderr: "inherit",
    }).spawn();
    this.#servers.set(machine.name, child);
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        (await Deno.connect({ hostname: "127.0.0.1", port })).close();
        return;
      } catch (error) {
        if (!(error instanceof Deno.errors.ConnectionRefused) || Date.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /** Takes a machine from the network. */
  async stop(name: string): Promise<void> {
    const server = this.#servers.get(name);
    if (server === undefined) return;
    this.#servers.delete(name);
    server.kill("SIGTERM");
    await server.status;
  }

  /** Puts a program before the far side's own of that name. */
  async replace(name: string, tool: string, script: string): Promise<void> {
    await Deno.writeTextFile(`${this.dir}/${name}.bin/${tool}`, script, { mode: 0o755 });
  }

  /** Takes it away again. */
  async restore(name: string, tool: string): Promise<void> {
    await Deno.remove(`${this.dir}/${name}.bin/${tool}`);
  }

  /** Runs install.sh on the fleet; it takes the binary as it is. */
  async install(...args: string[]): Promise<Said> {
    return await this.build("--no-build", ...args);
  }

  /** The same, and it builds the binary. */
  async build(...args: string[]): Promise<Said> {
    return await run("bash", [
      INSTALL,
      ...["--ssh-config", this.#config, "--fleet", `${this.dir}/fleet`],
      ...["--root", `${this.dir}/%h`, "--binary", this.binary],
      ...args,
    ]);
  }

  /** What a machine's systemctl was told to do since it was last asked here; questions left out. */
  async told(name: string): Promise<string[]> {
    const path = `${this.dir}/${name}.systemctl`;
    if (!existsSync(path)) return [];
    const text = await Deno.readTextFile(path);
    await Deno.remove(path);
    return text.split("\n").filter((line) => line !== "" && !line.includes("is-active"))
      .map((line) => line.replace(/^--root=\S+ /, ""));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of [...this.#servers.keys()]) await this.stop(name);
    await Deno.remove(this.dir, { recursive: true });
  }

  /** Writes what ssh has to know, and the list of the fleet. */
  async describe(ports: readonly number[]): Promise<void> {
    const hosts = this.machines.map(({ name }, i) =>
      `Host ${name}\n  HostName 127.0.0.1\n  Port ${ports[i]}\n`
    );
    await Deno.writeTextFile(
      this.#config,
      hosts.join("") +
        `Host *\n  User root\n  IdentityFile ${this.dir}/key\n  IdentitiesOnly yes\n  BatchMode yes\n` +
        `  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n`,
    );
    await Deno.writeTextFile(
      `${this.dir}/fleet`,
      "# a fleet of tests\n\n" + this.machines.map(({ name }) => `${name}\n`).join(""),
    );
  }
}

/** A stand-in for the binary: it says which version it is. */
export function standIn(commit: string): string {
  return `#!/bin/sh\ntest "$1" = version || exit 9\nprintf '0.0.1\\t${commit}\\t2.9.6\\t15.0\\t6.0\\n'\n`;
}

/** Starts machines of these names, with a stand-in for the binary to install. */
export async function startFleet(...names: string[]): Promise<Fleet> {
  needRoot();
  const tools = need("sshd", "ssh", "ssh-keygen", "systemd-sysusers", "systemd-tmpfiles");
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-fleet-" });
  const machines = names.map((name) => ({
    name,
    root: `${dir}/${name}`,
    temp: `${dir}/${name}.tmp`,
  }));
  const fleet = new Fleet(dir, machines);
  try {
    await Deno.mkdir("/run/sshd", { recursive: true, mode: 0o755 }); // sshd will not start without
    for (const file of ["key", "host_key"]) {
      const made = await run(tools["ssh-keygen"], [
        "-q",
        "-t",
        "ed25519",
        "-N",
        "",
        "-f",
        `${dir}/${file}`,
      ]);
      if (made.code !== 0) throw new Error(`Cannot make a key: ${made.stderr}`);
    }
    const listeners = names.map(() => Deno.listen({ hostname: "127.0.0.1", port: 0 }));
    const ports = listeners.map(({ addr }) => addr.port);
    listeners.forEach((listener) => listener.close());
    await fleet.describe(ports);
    await Deno.writeTextFile(fleet.binary, standIn("aaaaaaaaaaaa"), { mode: 0o755 });
    for (const [i, machine] of machines.entries()) {
      await Deno.mkdir(machine.temp);
      await Deno.mkdir(`${dir}/${machine.name}.bin`);
      await fleet.replace(
        machine.name,
        "systemctl",
        `#!/bin/sh
echo "$@" >> ${dir}/${machine.name}.systemctl
case "$*" in
  *" enable "*) exec /usr/bin/systemctl --quiet "$@" ;;
  *is-active*)
    cat ${dir}/${machine.name}.state 2> /dev/null || echo inactive
    test -e ${dir}/${machine.name}.state || exit 3
    ;;
esac
`,
      );
      await fleet.start(machine, ports[i]!);
    }
    return fleet;
  } catch (error) {
    await fleet[Symbol.asyncDispose]();
    throw error;
  }
}
