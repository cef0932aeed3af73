/** Disks that are full or may not be written: for hooks, for installs, for the server. */

import assert from "node:assert/strict";
import { BUILT } from "../helpers/built.ts";
import { withFolder } from "../helpers/daemon.ts";
import { promptPayload } from "../helpers/hooks.ts";
import { putFile, putProgram, snapshot } from "../helpers/install_home.ts";
import { withSmallDisk } from "../helpers/small_disk.ts";
import { installLauncher, runHook } from "./hooks.ts";
import { assertTold, mytty, Victim } from "./victim.ts";

const SETTINGS = '{\n  "model": "opus"\n}\n';

async function run(command: string, ...args: string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(command, { args }).output()).success;
  } catch {
    return false; // No such program here.
  }
}

/** Runs `task` while nothing below the folder can be written; not where we may not mount. */
async function whileReadOnly(folder: string, task: () => Promise<void>): Promise<void> {
  if (!await run("mount", "--bind", folder, folder)) return;
  try {
    if (await run("mount", "-o", "remount,bind,ro", folder)) await task();
  } finally {
    await run("umount", "-l", folder);
  }
}

/** Both transports end well and silently. */
async function tellBoth(folder: string, session: string, state: string): Promise<void> {
  for (const command of [["/bin/sh", `${folder}/launcher/hooks/mytty-hook`], [BUILT, "hook"]]) {
    const stdin = JSON.stringify(promptPayload(session, { prompt: "p".repeat(20_000) }));
    const env = { MYTTY_STATE_DIR: state };
    const { code } = await runHook([...command, "claude-code"], { folder, stdin, env });
    assert.equal(code, 0);
  }
}

Deno.test("hooks on a full disk end well, leave nothing half-written, and the next ones count", async () => {
  await withFolder(async (folder) => {
    await installLauncher(folder, `${folder}/launcher`);
    Deno.mkdirSync(`${folder}/disk`);
    await withSmallDisk(`${folder}/disk`, async (disk) => {
      if (disk.prefix.length > 0) return; // Without a file system of its own nothing is full.
      const state = `${folder}/disk/state`;
      Deno.mkdirSync(`${state}/spool`, { recursive: true, mode: 0o700 });
      Deno.writeTextFileSync(`${state}/hooks.log`, "");
      disk.fill();
      await tellBoth(folder, "full", state);
      const left = [...Deno.readDirSync(`${state}/spool`)].map(({ name }) => name);
      assert.deepEqual(left.filter((name) => !name.startsWith(".")), []);
      disk.giveBack();
      await tellBoth(folder, "later", state);
      const victim = await Victim.start(folder, { env: { MYTTY_STATE_DIR: state } });
      try {
        await assertTold(victim, ["later"]);
      } finally {
        assert.equal((await victim.end()).code, 0);
      }
    });
  });
});

Deno.test("hooks with a state folder that cannot be written end well and silently", async () => {
  await withFolder(async (folder) => {
    await installLauncher(folder, `${folder}/launcher`);
    const state = `${folder}/state`;
    Deno.mkdirSync(`${state}/spool`, { recursive: true, mode: 0o700 });
    await whileReadOnly(state, async () => {
      await tellBoth(folder, "read-only", state);
      assert.deepEqual([...Deno.readDirSync(`${state}/spool`)], []);
    });
  });
});

Deno.test("a server with a state folder that cannot be written says so and ends", async () => {
  await withFolder(async (folder) => {
    Deno.mkdirSync(`${folder}/state`, { mode: 0o700 });
    await whileReadOnly(`${folder}/state`, async () => {
      await assert.rejects(Victim.start(folder), /Not ready: mytty: .*[Rr]ead-only/);
    });
    const victim = await Victim.start(folder);
    assert.equal((await victim.end()).code, 0);
  });
});

function prepareHome(home: string): void {
  putFile(`${home}/.claude/settings.json`, SETTINGS);
  putProgram(home, "claude");
}

Deno.test("an install into a home that cannot be written is refused in words, and changes nothing", async () => {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    prepareHome(home);
    const before = snapshot(home, []);
    const env = { HOME: home };
    await whileReadOnly(home, async () => {
      const { code, stdout, stderr } = await mytty(folder, ["install", "claude-code"], { env });
      assert.equal(code, 1);
      assert.match(stdout + stderr, /[Rr]ead-only/);
    });
    assert.deepEqual(snapshot(home, []), before);
    const again = await mytty(folder, ["install", "claude-code"], { env });
    assert.equal(again.code, 0, again.stderr);
    assert.equal((await mytty(folder, ["uninstall", "--all"], { env })).code, 0);
    assert.deepEqual(snapshot(home, []), before);
  });
});

Deno.test("an install on a full disk is refused in words, changes nothing, and works once there is room", async () => {
  await withFolder(async (folder) => {
    Deno.mkdirSync(`${folder}/disk`);
    await withSmallDisk(`${folder}/disk`, async (disk) => {
      if (disk.prefix.length > 0) return;
      const home = `${folder}/disk/home`;
      prepareHome(home);
      const before = snapshot(home, []);
      disk.fill();
      const env = { HOME: home };
      const { code, stdout, stderr } = await mytty(folder, ["install", "claude-code"], { env });
      assert.equal(code, 1);
      assert.match(stdout + stderr, /[Nn]o space/);
      assert.deepEqual(snapshot(home, []), before, "and no file is left half-written");
      disk.giveBack();
      assert.equal((await mytty(folder, ["install", "claude-code"], { env })).code, 0);
      assert.equal((await mytty(folder, ["uninstall", "--all"], { env })).code, 0);
      assert.deepEqual(snapshot(home, []), before);
    });
  });
});
