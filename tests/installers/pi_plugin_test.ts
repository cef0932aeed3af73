/** The Pi extension as Pi runs it: loaded from the installed file, and left at once when it quits. */

import assert from "node:assert/strict";
import { findProvider } from "../../src/core/registry.ts";
import {
  installContextFor,
  putFile,
  putProgram,
  runInstall,
  withHome,
} from "../helpers/install_home.ts";
import { writeExecutable } from "../helpers/executable.ts";

/** Pi awaits its handlers, then exits, whatever children there are. */
const HOST = `
const { default: extension } = await import(Deno.args[0]);
const handlers = new Map();
extension({ on: (name, handler) => handlers.set(name, handler) });
const context = {
  mode: "tui",
  cwd: "/work",
  sessionManager: { getSessionId: () => "s1", getSessionFile: () => "/s1.jsonl" },
  isIdle: () => true,
};
const tell = (name, event) => handlers.get(name)?.(event, context);
await tell("session_start", { reason: "startup" });
await tell("session_shutdown", { reason: "quit" });
Deno.exit(0);
`;

Deno.test("Pi: the end of a session is delivered before the program is gone", () =>
  withHome(async (home) => {
    putProgram(home, "pi");
    const context = installContextFor(home);
    await runInstall([findProvider("pi")!], context);
    // A launcher that takes its time.
    const said = `${home}/said`;
    const slow = `#!/bin/sh\nread -r line\nsleep 0.15\nprintf '%s\\n' "$line" >>'${said}'\n`;
    writeExecutable(`${home}/state/hooks/mytty-hook`, slow);
    putFile(`${home}/host.ts`, HOST);
    const plugin = `file://${home}/.pi/agent/extensions/mytty.ts`;
    const args = ["run", "-A", "--no-lock", "--no-config", `${home}/host.ts`, plugin];
    const { code } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
    assert.equal(code, 0);
    const events = Deno.readTextFileSync(said).trim().split("\n")
      .map((line) => JSON.parse(line).event);
    assert.deepEqual(events, ["session_start", "session_shutdown"]);
  }));
