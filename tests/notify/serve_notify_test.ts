/** Notifications of a served program: configuration, reload, the test command, the record. */

import assert from "node:assert/strict";
import { ControlClient } from "../../src/socket/client.ts";
import { envelope, exchange, withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { programEnv, runProgram, type Serve, startServe } from "../helpers/program.ts";

type Scene = {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly serve: Serve;
  readonly tell: (event: Record<string, unknown>) => Promise<string>;
};

function writeConfig(folder: string, notify: Record<string, unknown>): void {
  const channels = { desktop: { enabled: false }, ...notify.channels as object };
  Deno.writeTextFileSync(
    `${folder}/config.jsonc`,
    `// A comment\n${JSON.stringify({ notify: { ...notify, channels } })}`,
  );
}

async function withScene(
  notify: (folder: string) => Record<string, unknown>,
  task: (scene: Scene) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    writeConfig(folder, notify(folder));
    const env = programEnv(folder);
    const serve = await startServe(env);
    try {
      const control = new ControlClient(`${folder}/run/control.sock`);
      const body = { label: "api" };
      const opened = await control.request("/v1/surfaces", { method: "POST", body });
      const { surfaceID, env: own } = opened.body as {
        surfaceID: string;
        env: Record<string, string>;
      };
      const pane = { surfaceID, capability: own.MYTTY_EVENT_CAPABILITY! };
      const runID = { rawValue: crypto.randomUUID() };
      await task({
        folder,
        env,
        serve,
        tell: (event) => exchange(serve.eventSocket, envelope(pane, { runID, ...event })),
      });
    } finally {
      await serve.end("SIGTERM");
    }
  });
}

const OK = '{"ok":true,"inserted":true}\n';

Deno.test("a command that hangs delays no event and is explained", async () => {
  const hanging = () => ({
    hold: 0,
    channels: { command: { run: "sleep 300", timeout: "500ms" } },
  });
  await withScene(hanging, async ({ env, tell }) => {
    assert.equal(await tell({ kind: "started" }), OK);
    const began = performance.now();
    for (let at = 0; at < 20; at++) {
      assert.equal(await tell({ kind: "approval-requested", toolUseID: `t${at}` }), OK);
    }
    assert.ok(performance.now() - began < 4_000, "20 hanging commands would take 10 s");
    await eventually(async () => {
      const { stdout } = await runProgram(["notifications"], { env });
      return /command +failed +it took too long and was ended/.test(stdout);
    });
  });
});

Deno.test("what a program tells its terminal is announced, in its surface's name", async () => {
  await withScene(() => ({ hold: 0, channels: {} }), async ({ env }) => {
    const stdin = "text\x1b]777;notify;Build;It is\x1b]0;x\x07\x1b]777;notify;Build;done\x1b\\";
    const stream = await runProgram(["estimate", "--stream", "--surface", "api"], { env, stdin });
    assert.deepEqual([stream.code, stream.stderr], [0, ""]);
    const { stdout } = await runProgram(["notifications", "--json"], { env });
    const { notifications } = JSON.parse(stdout);
    assert.deepEqual(
      notifications.map((
        { origin, title, body, place }: Record<string, string>,
      ) => [origin, title, body, place]),
      [["terminal", "Build", "done", "api"]],
    );
  });
});

Deno.test("a changed configuration counts at once; a broken one leaves the last good in force", async () => {
  const silent = () => ({ hold: 0, channels: {} });
  await withScene(silent, async ({ folder, tell, serve }) => {
    const command = { run: `cat >> '${folder}/told'` };
    writeConfig(folder, { hold: 0, channels: { command } });
    await eventually(() => serve.stderr().includes("configuration read anew"));
    await tell({ kind: "failed", message: "first" });
    await eventually(() => read(`${folder}/told`).includes("first"));
    Deno.writeTextFileSync(`${folder}/config.jsonc`, '{ "notifi": {} }');
    await eventually(() => serve.stderr().includes('notifi: unknown key, did you mean "notify"?'));
    await tell({ kind: "started" });
    await tell({ kind: "failed", message: "second" });
    await eventually(() => read(`${folder}/told`).includes("second"));
  });
});

Deno.test("notify test says for each channel what happened; exit 1 when one fails", async () => {
  const both = (folder: string) => ({
    channels: {
      command: { run: `cat > '${folder}/told'` },
      webhook: { url: "http://127.0.0.1:1/" },
    },
  });
  await withScene(both, async ({ folder, env }) => {
    const one = await runProgram(["notify", "test", "command"], { env });
    assert.equal(one.code, 0, one.stdout + one.stderr);
    assert.match(one.stdout, /command +delivered/);
    assert.match(read(`${folder}/told`), /mytty test/);
    const all = await runProgram(["notify", "test"], { env });
    assert.equal(all.code, 1);
    assert.match(all.stdout, /webhook +failed +The receiver cannot be reached/);
    const unknown = await runProgram(["notify", "test", "pager"], { env });
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /No channel is called "pager"; there are desktop, terminal/);
    const json = await runProgram(["notifications", "--json", "--limit", "1"], { env });
    assert.equal(JSON.parse(json.stdout).notifications.length, 1);
  });
});

function read(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}
