/** The header of the portable form, before a small archive: where it unpacks, and what it refuses to run. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { portableHeader } from "../../tools/portable_header.ts";
import { withFolder } from "../helpers/daemon.ts";

const ID = "0123456789abcdef0123456789abcdef";
const SHELLS = [["/bin/sh"], ["dash"], ["bash"], ["bash", "--posix"], ["busybox", "sh"], [
  "zsh",
  "--emulate",
  "sh",
]];
const PLANTED = "#!/bin/sh\necho planted\n";

type Form = {
  readonly folder: string;
  readonly run: (options?: RunOptions) => { code: number | null; stdout: string; stderr: string };
};

type RunOptions = {
  readonly env?: Record<string, string>;
  readonly args?: readonly string[];
  readonly shell?: readonly string[];
};

/** What is unpacked says who it is, instead of being a runtime. */
function withForm(task: (form: Form) => void): Promise<void> {
  return withFolder((folder) => {
    const parts = `${folder}/parts`;
    Deno.mkdirSync(`${parts}/app`, { recursive: true });
    Deno.writeTextFileSync(`${parts}/deno`, "#!/bin/sh\necho ours; umask\n");
    Deno.chmodSync(`${parts}/deno`, 0o755);
    // Packed by another user: whoever unpacks it is the owner all the same.
    const owner = Deno.build.os === "linux" ? ["--owner=4242", "--group=4242"] : [];
    const { status, stdout } = spawnSync("tar", [...owner, "-C", parts, "-cz", "deno", "app"]);
    assert.equal(status, 0);
    const head = new TextEncoder().encode(portableHeader(ID, "mytty"));
    Deno.writeFileSync(`${folder}/mytty`, new Uint8Array([...head, ...stdout]), { mode: 0o755 });
    Deno.mkdirSync(`${folder}/tmp`);
    task({ folder, run: (options = {}) => run(folder, options) });
    return Promise.resolve();
  });
}

function run(folder: string, { env = {}, args = ["--version"], shell = [] }: RunOptions) {
  const [program, ...rest] = [...shell, `${folder}/mytty`, ...args];
  const child = spawnSync(
    "/usr/bin/env",
    ["-i", `TMPDIR=${folder}/tmp`, "PATH=/usr/bin:/bin"].concat(
      Object.entries(env).map(([name, value]) => `${name}=${value}`),
      ["/bin/sh", "-c", 'umask 022; exec "$@"', "sh", program!, ...rest],
    ),
  );
  return { code: child.status, stdout: String(child.stdout), stderr: String(child.stderr) };
}

const OURS = { code: 0, stdout: "ours\n0022\n", stderr: "" };

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name);
}

/** Of another user: made so by root, or found so by anybody else. */
function putForeign(path: string): void {
  if (Deno.uid() === 0) {
    Deno.mkdirSync(`${path}/app`, { recursive: true });
    Deno.writeTextFileSync(`${path}/deno`, PLANTED, { mode: 0o755 });
    Deno.chownSync(`${path}/deno`, 4_242, null);
    Deno.chownSync(path, 4_242, null);
  } else {
    Deno.symlinkSync("/usr", path);
  }
}

for (const shell of SHELLS) {
  const name = shell.join(" ");

  Deno.test(`${name}: the portable form unpacks into the cache, whole and private`, () =>
    withForm(({ folder, run }) => {
      const places = { HOME: `${folder}/h`, XDG_CACHE_HOME: `${folder}/x` };
      for (const [variable, base] of [["HOME", "h/.cache"], ["XDG_CACHE_HOME", "x"]] as const) {
        const env = { [variable]: places[variable] };
        for (let start = 0; start < 2; start++) assert.deepEqual(run({ shell, env }), OURS);
        assert.deepEqual(names(`${folder}/${base}/mytty`), [ID]);
        assert.equal(Deno.statSync(`${folder}/${base}/mytty/${ID}`).mode! & 0o777, 0o700);
      }
      assert.deepEqual(names(`${folder}/tmp`), []);
    }));

  Deno.test(`${name}: without a home it unpacks into a folder that is this user's alone`, () =>
    withForm(({ folder, run }) => {
      const own = `${folder}/tmp/mytty-${Deno.uid()}`;
      for (
        const env of [{}, { HOME: "", XDG_CACHE_HOME: "" }, { HOME: "x", XDG_CACHE_HOME: "y" }]
      ) {
        assert.deepEqual(run({ shell, env }), OURS);
      }
      assert.deepEqual(names(`${folder}/tmp`), [`mytty-${Deno.uid()}`]);
      assert.equal(Deno.statSync(own).mode! & 0o777, 0o700);
    }));

  Deno.test(`${name}: a folder that others can write, is theirs, or a link is refused, and nothing in it run`, () =>
    withForm(({ folder, run }) => {
      const own = `${folder}/tmp/mytty-${Deno.uid()}`;
      const plants: (() => void)[] = [
        () => plantAt(own, 0o770),
        () => plantAt(own, 0o707),
        () => (plantAt(`${folder}/real`, 0o700), Deno.symlinkSync(`${folder}/real`, own)),
        () => putForeign(own),
        () => (Deno.mkdirSync(own, { mode: 0o700 }), putForeign(`${own}/${ID}`)),
        () => Deno.writeTextFileSync(own, ""),
      ];
      for (const plant of plants) {
        plant();
        const { code, stdout, stderr } = run({ shell });
        assert.deepEqual([code, stdout], [1, ""]);
        assert.match(stderr, /^mytty: Cannot unpack into ".*": it is not a folder that only you/);
        // The agent that runs a hook is not to see it.
        const hook = run({ shell, args: ["hook", "codex"] });
        assert.deepEqual(hook, { code: 0, stdout: "", stderr: "" });
        assert.equal(run({ shell, args: ["hook", "codex", "--test"] }).code, 1);
        assert.equal(
          run({ shell, args: ["hook", "codex"], env: { MYTTY_NO_UNPACK: "1" } }).code,
          1,
        );
        Deno.removeSync(own, { recursive: true });
      }
    }));

  Deno.test(`${name}: what another user put into the cache is not run`, () =>
    withForm(({ folder, run }) => {
      const env = { XDG_CACHE_HOME: `${folder}/x` };
      Deno.mkdirSync(`${folder}/x/mytty`, { recursive: true });
      putForeign(`${folder}/x/mytty/${ID}`);
      assert.deepEqual(run({ shell, env }), OURS);
      Deno.removeSync(`${folder}/x/mytty`, { recursive: true });
      putForeign(`${folder}/x/mytty`);
      assert.deepEqual(run({ shell, env }), OURS);
      assert.deepEqual(names(`${folder}/tmp`), [`mytty-${Deno.uid()}`]);
    }));

  Deno.test(`${name}: what is damaged is unpacked anew; what must not unpack says so at once`, () =>
    withForm(({ folder, run }) => {
      const env = { HOME: `${folder}/h` };
      const forbidden = { ...env, MYTTY_NO_UNPACK: "1" };
      assert.deepEqual(run({ shell, env: forbidden }), { code: 1, stdout: "", stderr: "" });
      assert.throws(() => Deno.statSync(`${folder}/h`), Deno.errors.NotFound);
      assert.deepEqual(run({ shell, env }), OURS);
      assert.deepEqual(run({ shell, env: forbidden }), OURS);
      Deno.removeSync(`${folder}/h/.cache/mytty/${ID}/deno`);
      assert.deepEqual(run({ shell, env }), OURS);
      assert.deepEqual(names(`${folder}/h/.cache/mytty`), [ID]);
    }));

  Deno.test(`${name}: without room for it a person is told, an agent is not`, () =>
    withForm(({ folder, run }) => {
      Deno.writeTextFileSync(`${folder}/file`, "");
      const env = { HOME: `${folder}/file` };
      const { code, stdout, stderr } = run({ shell, env });
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, /mytty: Cannot unpack into ".*"; set XDG_CACHE_HOME to a folder with/);
      const hook = run({ shell, env, args: ["hook", "codex"] });
      assert.deepEqual(hook, { code: 0, stdout: "", stderr: "" });
    }));
}

function plantAt(path: string, mode: number): void {
  Deno.mkdirSync(`${path}/${ID}/app`, { recursive: true });
  Deno.writeTextFileSync(`${path}/${ID}/deno`, PLANTED, { mode: 0o755 });
  Deno.chmodSync(path, mode);
}
