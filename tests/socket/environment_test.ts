/** Where a home is that no variable names; real processes, since the environment is theirs. */

import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { withFolder } from "../helpers/daemon.ts";
import { programEnv, runProgram } from "../helpers/program.ts";

/** Of a shell that sets no folder of ours. */
function bareEnv(folder: string, home: string | undefined): Record<string, string> {
  const entries = Object.entries(programEnv(folder))
    .filter(([name]) => !/^(MYTTY_|XDG_(CONFIG|STATE)|HOME$)/.test(name));
  return { ...Object.fromEntries(entries), ...(home === undefined ? {} : { HOME: home }) };
}

Deno.test("without HOME, or with an empty one, the home that the system knows counts", async () => {
  await withFolder(async (folder) => {
    for (const home of [undefined, "", folder]) {
      const { stdout } = await runProgram(["config", "path"], { env: bareEnv(folder, home) });
      assert.equal(stdout, `${home || userInfo().homedir}/.config/mytty/config.jsonc\n`);
    }
  });
});

Deno.test("without any home it is said, unless our folders are all named", async () => {
  await withFolder(async (folder) => {
    const module = import.meta.resolve("../../src/socket/environment.ts");
    const script = `
      process.getBuiltinModule = () => { throw new Error("no entry"); };
      const { readPaths } = await import("${module}");
      try { console.log(readPaths().state); } catch (error) { console.log(error.message); }`;
    const run = async (extra: Record<string, string>) => {
      const { stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["eval", script],
        env: { ...bareEnv(folder, undefined), ...extra },
        clearEnv: true,
      }).output();
      return new TextDecoder().decode(stdout);
    };
    assert.match(await run({}), /^No home folder: HOME is not set, .*; set HOME\n$/);
    const named = { MYTTY_STATE_DIR: "/a/state", MYTTY_CONFIG: "/a/config.jsonc" };
    assert.equal(await run(named), "/a/state\n");
  });
});
