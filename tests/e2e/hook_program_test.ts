/** `mytty hook` as it is built, started by an agent that gives it as little as can be. */

import assert from "node:assert/strict";
import { BUILT, Built } from "../helpers/built.ts";
import { withFolder } from "../helpers/daemon.ts";
import { CLOSED } from "../helpers/hook_runner.ts";

const PAYLOAD = '{"hook_event_name":"AfterAgent","session_id":"s"}';
/** A budget of 400 ms, the start of a runtime, and a very busy machine. Without it: for ever. */
const IN_TIME_MS = 20_000;

Deno.test("the built hook ends with 0 and in silence without streams, home, PATH or places", async () => {
  await withFolder(async (folder) => {
    const { XDG_CACHE_HOME, ...places } = new Built(folder).env;
    const nowhere = { MYTTY_STATE_DIR: "/dev/null/state", MYTTY_RUNTIME_DIR: "/dev/null/run" };
    const { HOME: _home, ...homeless } = places;
    for (const env of [places, { ...homeless, ...nowhere, PATH: "" }]) {
      for (const redirections of ["", ">/dev/full", ...CLOSED]) {
        const began = performance.now();
        const child = new Deno.Command("/bin/sh", {
          args: ["-c", `exec "$@" ${redirections}`, "sh", BUILT, "hook", "gemini"],
          clearEnv: true,
          env: { XDG_CACHE_HOME: XDG_CACHE_HOME!, ...env },
          stdin: "piped",
          stdout: "piped",
          stderr: "piped",
        }).spawn();
        const writer = child.stdin.getWriter();
        await writer.write(new TextEncoder().encode(PAYLOAD)).catch(() => {});
        // Held open: it ends by itself.
        const { code, stdout, stderr } = await child.output();
        const millis = performance.now() - began;
        await writer.close().catch(() => {});
        const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
        const answer = /(^| )>/.test(redirections) ? "" : "{}\n";
        assert.deepEqual([code, ...said], [0, answer, ""], redirections);
        assert.ok(millis < IN_TIME_MS, `${millis} ms`);
      }
    }
  });
});
