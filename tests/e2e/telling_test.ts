/** status-line, config and doctor as people and prompts call them. */

import assert from "node:assert/strict";
import { Built, withBuilt } from "../helpers/built.ts";
import { withFolder } from "../helpers/daemon.ts";

Deno.test("status-line is one short line, quiet about a server that is not there", async () => {
  await withFolder(async (folder) => {
    const down = await new Built(folder).mytty(["status-line"]);
    assert.deepEqual(down, { code: 3, stdout: "", stderr: "" });
  });
  await withBuilt(async (built) => {
    assert.deepEqual(await built.mytty(["status-line"]), { code: 0, stdout: "\n", stderr: "" });
    const { stdout } = await built.mytty(["surface", "open", "--json"]);
    const { env } = JSON.parse(stdout);
    await built.mytty(["emit", "--provider", "x", "--kind", "approval-requested"], { env });
    assert.equal((await built.mytty(["status-line"])).stdout, "◆1\n");
    assert.equal(
      (await built.mytty(["status-line", "--tmux"])).stdout,
      "#[fg=yellow]◆1#[fg=default]\n",
    );
    const json = JSON.parse((await built.mytty(["status-line", "--json"])).stdout);
    assert.deepEqual(json, { waiting: 1, running: 0, failed: 0, done: 0, text: "◆1" });
    const wrong = await built.mytty(["status-line", "--html"]);
    assert.equal(wrong.code, 2);
    assert.match(
      wrong.stderr,
      /^mytty: status-line takes --tmux or --json, not "--html"; see --help\n$/,
    );
    assert.match((await built.mytty(["status-line", "--help"])).stdout, /Usage: mytty status-line/);
  });
});

Deno.test("config says where it is, what is wrong with it, and what is in force, without secrets", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/config.jsonc`;
    const built = new Built(folder);
    const env = { MYTTY_CONFIG: path };
    assert.equal((await built.mytty(["config", "path"], { env })).stdout, `${path}\n`);
    const absent = await built.mytty(["config", "check"], { env });
    assert.deepEqual([absent.code, absent.stdout], [
      0,
      `${path} is not there; the defaults hold\n`,
    ]);
    Deno.writeTextFileSync(path, '{ "idelAfter": "5m", "notify": { "hold": "soon" } }');
    const wrong = await built.mytty(["config", "check"], { env });
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /idelAfter: unknown key, did you mean "idleAfter"\?/);
    assert.match(wrong.stderr, /notify\.hold: takes a time like/);
    const json = await built.mytty(["config", "check", "--json"], { env });
    assert.equal(JSON.parse(json.stdout).issues.length, 2);
    const channels = {
      ntfy: { topic: "t", token: "tk_secret" },
      webhook: { url: "http://localhost:1/", headers: { authorization: "Bearer secret" } },
    };
    Deno.writeTextFileSync(path, JSON.stringify({ idleAfter: "2m", notify: { channels } }));
    const shown = await built.mytty(["config", "show"], { env });
    assert.equal(JSON.parse(shown.stdout).idleAfter, 120_000);
    assert.doesNotMatch(shown.stdout, /secret/);
    const schema = await built.mytty(["config", "schema"], { env });
    assert.equal(JSON.parse(schema.stdout).type, "object");
  });
});

Deno.test("doctor says what works and what to do, with and without a server", async () => {
  await withFolder(async (folder) => {
    const down = await new Built(folder).mytty(["doctor"]);
    assert.equal(down.code, 1);
    assert.match(down.stdout, /✖ server +not running\n +→ Start it: mytty serve/);
  });
  await withBuilt(async (built) => {
    const up = await built.mytty(["doctor"]);
    assert.match(up.stdout, /✔ server +mytty \d/);
    assert.match(up.stdout, /✔ event socket/);
    assert.match(up.stdout, /✔ database +\d+ rows/);
    assert.match(up.stdout, /Notifications\n/);
    assert.match(up.stdout, /sandbox +none seen/);
    const { checks } = JSON.parse((await built.mytty(["doctor", "--json"])).stdout);
    assert.ok(checks.length > 10);
    Deno.chmodSync(`${built.folder}/run/event.sock`, 0o666);
    assert.match(
      (await built.mytty(["doctor"])).stdout,
      /◆ event socket .*mode 666\n +→ Make it private/,
    );
  });
});
