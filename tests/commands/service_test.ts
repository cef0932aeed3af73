/** `mytty service` against stand-ins for systemctl and launchctl, in a temporary home. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { startTestServer, withFolder } from "../helpers/daemon.ts";
import { writeExecutable } from "../helpers/executable.ts";
import { programEnv } from "../helpers/program.ts";
import { treeOf } from "../helpers/tree.ts";

const DRIVER = fileURLToPath(new URL("../helpers/service_driver.ts", import.meta.url));

/** Remembers what it was asked; `enable` makes the link that the real one makes. */
const SYSTEMCTL = `#!/bin/sh
PATH=/usr/bin:/bin
echo "$*" >> "$HOME/asked"
unit=\${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
wants=$unit/default.target.wants
case "$2 $3" in
  "is-active "*) if [ -e "$HOME/up" ]; then echo active; else echo inactive; exit 3; fi ;;
  "is-enabled "*) if [ -L "$wants/mytty.service" ]; then echo enabled; else echo disabled; exit 1; fi ;;
  "enable "*)
    mkdir -p "$wants"; ln -sf "$unit/mytty.service" "$wants/mytty.service"
    [ "$3" = --now ] && : > "$HOME/up"; exit 0 ;;
  "disable "*) rm -f "$wants/mytty.service" "$HOME/up"; rmdir "$wants" 2>/dev/null; exit 0 ;;
esac
`;

const LAUNCHCTL = `#!/bin/sh
PATH=/usr/bin:/bin
echo "$*" >> "$HOME/asked"
case $1 in
  print) if [ -e "$HOME/up" ]; then printf 'x = {\\n\\tstate = running\\n}\\n'; else exit 113; fi ;;
  bootstrap) [ -e "$HOME/up" ] && exit 5; : > "$HOME/up" ;;
  bootout) rm -f "$HOME/up" ;;
esac
`;

type Os = "linux" | "darwin";

class Home {
  readonly folder: string;
  readonly os: Os;
  program = "/usr/bin/env";
  env: Record<string, string>;

  constructor(folder: string, os: Os, standIn: string | null) {
    this.folder = folder;
    this.os = os;
    const name = os === "linux" ? "systemctl" : "launchctl";
    if (standIn !== null) writeExecutable(`${folder}/bin/${name}`, standIn);
    // The system's own managers are out of reach, whatever machine this is.
    this.env = programEnv(folder, { PATH: `${folder}/bin`, SECRET: "s3cret" });
    delete this.env.XDG_CONFIG_HOME;
    delete this.env.MYTTY_CONFIG;
  }

  get file(): string {
    return this.os === "linux"
      ? `${this.folder}/.config/systemd/user/mytty.service`
      : `${this.folder}/Library/LaunchAgents/mytty.serve.plist`;
  }

  async run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", DRIVER, this.os, this.program, ...args],
      env: this.env,
      clearEnv: true,
    }).output();
    const decoder = new TextDecoder();
    return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
  }

  asked(): string[] {
    const text = Deno.readTextFileSync(`${this.folder}/asked`);
    Deno.removeSync(`${this.folder}/asked`);
    return text.trim().split("\n");
  }

  tree(): Map<string, string> {
    return treeOf(this.folder);
  }
}

const BOTH: readonly (readonly [Os, string])[] = [["linux", SYSTEMCTL], ["darwin", LAUNCHCTL]];

for (const [os, standIn] of BOTH) {
  Deno.test(`${os}: install writes one file and starts it; again changes nothing; uninstall leaves no trace`, async () => {
    await withFolder(async (folder) => {
      const home = new Home(folder, os, standIn);
      Deno.mkdirSync(`${folder}/Library/LaunchAgents`, { recursive: true });
      Deno.mkdirSync(`${folder}/.config`);
      const before = home.tree();
      assert.equal((await home.run("status")).code, 1);
      home.asked();
      const first = await home.run("install");
      assert.deepEqual([first.code, first.err], [0, ""]);
      assert.equal(
        first.out,
        `Wrote ${home.file}\nThe service runs; mytty doctor says what works\n`,
      );
      assert.equal(Deno.statSync(home.file).mode! & 0o777, 0o644);
      const starts = home.asked().filter((line) => /enable --now|bootstrap/.test(line));
      assert.equal(starts.length, 1);
      const status = await home.run("status", "--json");
      const { file, enabled, active, next } = JSON.parse(status.out);
      assert.deepEqual([status.code, file, enabled, active, next], [
        0,
        "current",
        true,
        true,
        null,
      ]);
      const mtime = Deno.statSync(home.file).mtime!.getTime();
      home.asked();
      const again = await home.run("install");
      assert.deepEqual([again.code, again.out.split("\n")[0]], [
        0,
        `Nothing to change in ${home.file}`,
      ]);
      assert.equal(Deno.statSync(home.file).mtime!.getTime(), mtime);
      assert.ok(
        !home.asked().some((line) => / restart |bootout/.test(line)),
        "it was left running",
      );
      const gone = await home.run("uninstall");
      assert.deepEqual([gone.code, gone.err, gone.out], [0, "", `Removed ${home.file}\n`]);
      home.asked();
      assert.deepEqual(home.tree(), before);
      const twice = await home.run("uninstall");
      assert.deepEqual([twice.code, twice.out], [
        0,
        `Nothing to remove: ${home.file} is not there\n`,
      ]);
    });
  });

  Deno.test(`${os}: a changed program or folder is written and the service started anew`, async () => {
    await withFolder(async (folder) => {
      const home = new Home(folder, os, standIn);
      assert.equal((await home.run("install")).code, 0);
      home.asked();
      home.env.CLAUDE_CONFIG_DIR = "/somewhere/claude";
      assert.match(
        (await home.run("status")).out,
        /: outdated\n[\s\S]*next {5}mytty service install/,
      );
      assert.equal((await home.run("install")).code, 0);
      assert.ok(home.asked().some((line) => / restart |bootout/.test(line)));
      assert.match(Deno.readTextFileSync(home.file), /\/somewhere\/claude/);
    });
  });

  Deno.test(`${os}: somebody else's file, a link or a folder at its path is refused and stays`, async () => {
    await withFolder(async (folder) => {
      const home = new Home(folder, os, standIn);
      const makers: readonly (() => void)[] = [
        () => Deno.writeTextFileSync(home.file, "[Service]\nExecStart=/bin/true\n"),
        () => Deno.symlinkSync("/dev/null", home.file),
        () => Deno.mkdirSync(home.file),
      ];
      Deno.mkdirSync(home.file.replace(/\/[^/]+$/, ""), { recursive: true });
      for (const make of makers) {
        make();
        const before = home.tree();
        for (const verb of ["install", "uninstall"]) {
          const { code, err, out } = await home.run(verb);
          assert.deepEqual([code, out], [1, ""]);
          assert.match(err, /^mytty: Refusing ".+": it was not written by mytty; [^\n]+\n$/);
        }
        assert.match((await home.run("status")).out, /: foreign\n/);
        Deno.removeSync(`${folder}/asked`);
        assert.deepEqual(home.tree(), before);
        Deno.removeSync(home.file);
      }
    });
  });

  Deno.test(`${os}: without a manager the file is written and the next step said`, async () => {
    await withFolder(async (folder) => {
      const home = new Home(folder, os, null);
      const { code, err } = await home.run("install");
      assert.equal(code, 1);
      assert.match(err, /^mytty: Cannot start the service: There is no \w+ctl here; [^\n]+\n$/);
      assert.match(err, /mytty serve\n$/);
      assert.match((await home.run("status")).out, /running {2}cannot tell/);
      assert.equal((await home.run("uninstall")).code, 0);
      assert.throws(() => Deno.lstatSync(home.file), Deno.errors.NotFound);
    });
  });

  Deno.test(`${os}: --print prints the file and writes nothing`, async () => {
    await withFolder(async (folder) => {
      const home = new Home(folder, os, standIn);
      const before = home.tree();
      const { code, out } = await home.run("install", "--print");
      assert.equal(code, 0);
      assert.deepEqual(home.tree(), before);
      assert.match(out, /\/usr\/bin\/env/);
      assert.ok(!out.includes("s3cret"));
    });
  });
}

Deno.test("linux: no user bus is told with what to do; the file stays, uninstall takes all away", async () => {
  await withFolder(async (folder) => {
    const text = "#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2; exit 1\n";
    const home = new Home(folder, "linux", text);
    const { code, err } = await home.run("install");
    assert.equal(code, 1);
    assert.match(err, /Failed to connect to bus: No medium found; no systemd user session/);
    assert.match(err, /loginctl enable-linger/);
    // A link of an earlier time, which nobody else would take away now.
    const wants = `${folder}/.config/systemd/user/default.target.wants`;
    Deno.mkdirSync(wants);
    Deno.symlinkSync(home.file, `${wants}/mytty.service`);
    assert.equal((await home.run("uninstall")).code, 0);
    assert.deepEqual([...Deno.readDirSync(`${folder}/.config`)], []);
  });
});

Deno.test("linux: a server that runs by hand is not ended; the service is enabled for later", async () => {
  await withFolder(async (folder) => {
    const test = await startTestServer({ folder });
    try {
      const home = new Home(folder, "linux", SYSTEMCTL);
      const { code, err } = await home.run("install");
      assert.equal(code, 1);
      assert.match(err, new RegExp(`^mytty: Enabled, not started: .*kill ${Deno.pid}, then: `));
      assert.ok(home.asked().includes("--user enable mytty.service"));
    } finally {
      await test.server.stop();
    }
  });
});

Deno.test("linux: a manager that hangs or says no is not waited for without end", async () => {
  await withFolder(async (folder) => {
    const text = `#!/bin/sh
PATH=/usr/bin:/bin
case "$*" in *enable*) echo 'Unit mytty.service is masked.' >&2; exit 1 ;; *is-active*) sleep 600 & echo inactive; exit 3 ;; esac
`;
    const home = new Home(folder, "linux", text);
    const began = performance.now();
    const { code, err } = await home.run("install");
    assert.ok(performance.now() - began < 15_000);
    assert.equal(code, 1);
    assert.match(
      err,
      /Unit mytty.service is masked\.; journalctl --user -u mytty\.service -e says/,
    );
  });
});
