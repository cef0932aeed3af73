/** install.sh against a release on loopback, under every shell that may run it. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { VERSION } from "../../src/core/version.ts";
import { BUILT } from "../helpers/built.ts";
import { withFolder } from "../helpers/daemon.ts";
import { writeExecutable } from "../helpers/executable.ts";
import { ReleaseServer } from "../helpers/release_server.ts";
import { treeOf } from "../helpers/tree.ts";

const SCRIPT = fileURLToPath(new URL("../../install.sh", import.meta.url));
const NAME = `mytty-${Deno.build.os === "darwin" ? "macos" : "linux"}-${
  Deno.build.arch === "aarch64" ? "arm64" : "x64"
}`;
const LATEST = "latest/download";
const SHELLS = [["dash"], ["bash"], ["busybox", "sh"]];

/** Small, and says what the script asks for. */
const SMALL = new TextEncoder().encode(`#!/bin/sh\necho "mytty ${VERSION} (small)"\n`);

type Ran = { readonly code: number; readonly out: string; readonly err: string };

class Machine {
  readonly home: string;
  readonly server: ReleaseServer;
  shell: readonly string[] = ["dash"];
  env: Record<string, string>;

  constructor(home: string, server: ReleaseServer) {
    this.home = home;
    this.server = server;
    Deno.mkdirSync(`${home}/tmp`);
    this.env = {
      HOME: home,
      TMPDIR: `${home}/tmp`,
      PATH: Deno.env.get("PATH")!,
      MYTTY_BASE_URL: server.url,
      // The real program unpacks itself once for all tests.
      XDG_CACHE_HOME: Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`,
    };
  }

  async install(): Promise<Ran> {
    const [shell, ...args] = [...this.shell, SCRIPT];
    const { code, stdout, stderr } = await new Deno.Command(whereIs(shell!), {
      args,
      env: this.env,
      clearEnv: true,
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
  }

  /** Only these programs of the system, beside those already made in `bin`. */
  allowOnly(...names: string[]): void {
    Deno.mkdirSync(`${this.home}/bin`, { recursive: true });
    for (const name of names) Deno.symlinkSync(whereIs(name), `${this.home}/bin/${name}`);
    this.env.PATH = `${this.home}/bin`;
  }
}

function whereIs(name: string): string {
  for (const folder of Deno.env.get("PATH")!.split(":")) {
    try {
      if (Deno.statSync(`${folder}/${name}`).isFile) return `${folder}/${name}`;
    } catch {
      // Not in this one.
    }
  }
  throw new Error(`There is no ${name} here`);
}

/** Debian has all of them; a Mac need not. */
function isMissingHere(name: string): boolean {
  try {
    return whereIs(name) === "";
  } catch {
    return Deno.build.os === "darwin";
  }
}

async function withMachine(task: (machine: Machine) => Promise<void>): Promise<void> {
  const server = await ReleaseServer.start();
  try {
    await withFolder((folder) => task(new Machine(folder, server)));
  } finally {
    await server.stop();
  }
}

/** The script fails with one line, and everything is as it was. */
async function refuses(machine: Machine, message: RegExp): Promise<void> {
  const before = treeOf(machine.home);
  const { code, out, err } = await machine.install();
  assert.equal(code, 1, out + err);
  assert.match(err, message);
  assert.equal(out, "");
  assert.deepEqual(treeOf(machine.home), before);
}

const TOOLS = ["uname", "mktemp", "rm", "chmod", "mkdir", "cp", "mv", "sh", "cat"];

for (const shell of SHELLS) {
  const name = shell.join(" ");
  const ignore = isMissingHere(shell[0]!);

  Deno.test(
    { name: `${name}: the real program is downloaded, checked, put in place`, ignore },
    async () => {
      await withMachine(async (machine) => {
        machine.shell = shell;
        const program = Deno.readFileSync(BUILT);
        machine.server.publish(LATEST, NAME, program);
        machine.env.PATH += `:${machine.home}/.local/bin`;
        const { code, out, err } = await machine.install();
        const place = `${machine.home}/.local/bin/mytty`;
        assert.deepEqual([code, err], [0, ""]);
        assert.match(
          out,
          new RegExp(`^Installed mytty ${VERSION} \\(\\w+\\) as ${place}\nNext: .*\n$`),
        );
        assert.deepEqual(Deno.readFileSync(place), program);
        assert.equal(Deno.statSync(place).mode! & 0o777, 0o755);
        assert.deepEqual([...Deno.readDirSync(`${machine.home}/tmp`)], []);
        assert.equal([...Deno.readDirSync(`${machine.home}/.local/bin`)].length, 1);
      });
    },
  );

  Deno.test(
    { name: `${name}: what is wrong, missing or broken leaves nothing`, ignore },
    async () => {
      await withMachine(async (machine) => {
        machine.shell = shell;
        const { files } = machine.server;
        await refuses(machine, /Cannot download .*\/latest\/download\/checksums\.txt\n$/);
        machine.server.publish(LATEST, NAME, SMALL);
        files.delete(`/${LATEST}/${NAME}`);
        await refuses(machine, new RegExp(`Cannot download .*/${NAME}\n$`));
        files.set(`/${LATEST}/${NAME}`, { broken: SMALL.subarray(0, 20) });
        await refuses(machine, /Cannot download|The checksum of/);
        files.set(`/${LATEST}/${NAME}`, SMALL.subarray(0, 20));
        await refuses(machine, /The checksum of .* is not the one of the release; nothing was/);
        machine.server.publish(LATEST, "mytty-of-others", SMALL);
        await refuses(machine, /The release names no checksum for mytty-/);
      });
    },
  );
}

const noWget = ["wget", "busybox", "sha256sum"].some(isMissingHere);

Deno.test({ name: "no curl but wget, no sha256sum but shasum", ignore: noWget }, async () => {
  await withMachine(async (machine) => {
    machine.server.publish(LATEST, NAME, SMALL);
    machine.allowOnly(...TOOLS, "wget", "sha256sum");
    assert.equal((await machine.install()).code, 0);
    Deno.removeSync(`${machine.home}/bin/wget`);
    Deno.symlinkSync(whereIs("busybox"), `${machine.home}/bin/wget`);
    assert.equal((await machine.install()).code, 0);
    Deno.removeSync(`${machine.home}/bin/sha256sum`);
    await refuses(machine, /neither sha256sum nor shasum/);
    writeExecutable(
      `${machine.home}/bin/shasum`,
      `#!/bin/sh\n[ "$*" = "-a 256" ] && exec ${whereIs("sha256sum")}\n`,
    );
    assert.equal((await machine.install()).code, 0);
    Deno.removeSync(`${machine.home}/bin/wget`);
    await refuses(machine, /neither curl nor wget/);
  });
});

Deno.test("version, folder and base address are taken from the environment", async () => {
  await withMachine(async (machine) => {
    machine.server.publish("download/v9.9.9", NAME, SMALL);
    machine.env.MYTTY_VERSION = "9.9.9";
    machine.env.MYTTY_INSTALL_DIR = `${machine.home}/a b/bin`;
    const { code, out } = await machine.install();
    assert.equal(code, 0);
    assert.match(out, /\nNot in your PATH: put .*\/a b\/bin there/);
    assert.deepEqual(machine.server.asked, [
      "/download/v9.9.9/checksums.txt",
      `/download/v9.9.9/${NAME}`,
    ]);
    machine.env.MYTTY_BASE_URL = "http://example.org/mytty";
    await refuses(machine, /Refusing "http:\/\/example\.org\/mytty": it does not begin with https/);
    delete machine.env.MYTTY_BASE_URL;
    await refuses(machine, /does not know where releases are/);
  });
});

Deno.test("the program of this system is asked for; where there is none, it says so", async () => {
  await withMachine(async (machine) => {
    const systems: readonly [string, string, string | null][] = [
      ["Linux", "x86_64", "linux-x64"],
      ["Linux", "aarch64", "linux-arm64"],
      ["Darwin", "x86_64", "macos-x64"],
      ["Darwin", "arm64", "macos-arm64"],
      ["Linux", "riscv64", null],
      ["FreeBSD", "amd64", null],
    ];
    machine.env.PATH = `${machine.home}/bin:${machine.env.PATH}`;
    for (const [os, arch, name] of systems) {
      machine.server.publish(LATEST, `mytty-${name}`, SMALL);
      writeExecutable(
        `${machine.home}/bin/uname`,
        `#!/bin/sh\n[ "$1" = -s ] && echo ${os} || echo ${arch}\n`,
      );
      if (name === null) await refuses(machine, /There is no mytty for/);
      else {
        assert.equal((await machine.install()).code, 0);
        assert.equal(machine.server.asked.at(-1), `/${LATEST}/mytty-${name}`);
      }
    }
  });
});

Deno.test("a program that does not run here, a folder in its place: what was there stays", async () => {
  await withMachine(async (machine) => {
    machine.server.publish(LATEST, NAME, SMALL);
    assert.equal((await machine.install()).code, 0);
    machine.server.publish(LATEST, NAME, new TextEncoder().encode("#!/bin/sh\nexit 1\n"));
    await refuses(machine, /does not run here/);
    const place = `${machine.home}/.local/bin/mytty`;
    Deno.removeSync(place);
    Deno.mkdirSync(place);
    await refuses(machine, /Refusing ".*\/mytty": it is a folder/);
  });
});

Deno.test("a script that broke off in its own download does nothing", async () => {
  const text = Deno.readTextFileSync(SCRIPT);
  await withFolder(async (folder) => {
    for (let size = 400; size < text.length - 12; size += 211) {
      const { stdout } = await new Deno.Command("dash", {
        args: ["-c", text.slice(0, size)],
        env: { HOME: folder },
        stderr: "null",
      }).output();
      assert.equal(stdout.length, 0);
    }
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
});
