/** A sandbox that blocks the connection is not a server that is down. */

import assert from "node:assert/strict";
import { serverChecks } from "../../src/commands/_doctor_server.ts";
import { sandboxCheck } from "../../src/commands/_doctor_terminal.ts";
import { blockedError } from "../../src/socket/unreachable.ts";
import { temporaryPaths, withFolder } from "../helpers/daemon.ts";

Deno.test("blocked by a sandbox is said as such, and is no failure", async () => {
  await withFolder((folder) => {
    const paths = temporaryPaths(folder);
    const blocked = blockedError(paths.controlSocket);
    const [check] = serverChecks(paths, { state: "blocked", reason: blocked.message });
    assert.equal(check!.state, "warn");
    assert.match(check!.detail, /blocked by a sandbox/);
    assert.doesNotMatch(check!.next!, /mytty serve/);
    const [down] = serverChecks(paths, { state: "down", reason: "" });
    assert.deepEqual([down!.state, down!.next], ["fail", "Start it: mytty serve"]);
    return Promise.resolve();
  });
  const get = (name: string) => name === "CODEX_SANDBOX" ? "seatbelt" : undefined;
  assert.match(sandboxCheck(get, false).detail, /CODEX_SANDBOX is set; connections work/);
  assert.equal(sandboxCheck(get, true).state, "warn");
});

Deno.test("something else at a socket's path, and a path that is too long, are named", async () => {
  await withFolder((folder) => {
    const paths = temporaryPaths(folder);
    Deno.mkdirSync(paths.runtime, { recursive: true });
    Deno.writeTextFileSync(paths.eventSocket, "");
    const checks = serverChecks(paths, { state: "down", reason: "" });
    assert.match(checks.find(({ name }) => name === "event socket")!.detail, /is no socket/);
    const long = { ...paths, eventSocket: `/tmp/${"x".repeat(200)}` };
    const named = serverChecks(long, { state: "down", reason: "" });
    assert.match(named.find(({ name }) => name === "event socket")!.detail, /205 bytes/);
    return Promise.resolve();
  });
});
