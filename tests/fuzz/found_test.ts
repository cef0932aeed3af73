/** What the fuzzers found, each by its name. */

import assert from "node:assert/strict";
import { TerminalSignals } from "../../src/core/estimate/terminal_signals.ts";
import { entriesOf } from "../../src/core/hook/ingest.ts";
import type { RunFact } from "../../src/core/hook/hook_fact.ts";
import { Log, PANE, uuid } from "../core/log.ts";

Deno.test("the host of a told folder is cleaned like its path", () => {
  const bytes = new TextEncoder().encode("\x1b]7;file://ho\x11\n\x00st/a\x07");
  assert.deepEqual(new TerminalSignals().push(bytes), [
    { signal: "folder", host: "host", path: "/a" },
  ]);
});

Deno.test("a request and its answer find one another whatever their name holds, and it is bounded", () => {
  const log = new Log(PANE);
  for (const name of ["\ud83d", `${"long".repeat(2_000)}1`, "a\u0000b"]) {
    const fact = { fact: "run", sessionID: name, turnKey: "t", hookName: "h" } as const;
    const asked: RunFact = { ...fact, kind: "approval-requested", requestKey: name };
    const answered: RunFact = { ...fact, kind: "running", settles: [name] };
    for (const [index, each] of [asked, answered].entries()) {
      const [entry] = entriesOf(log.state, [each], {
        deliveryID: uuid(`${name} ${index}`),
        provider: "claude-code",
        source: "hook",
        occurredAt: index,
        undated: false,
        late: false,
        surfaceID: PANE,
        parentRunID: null,
        process: null,
        cwd: null,
      });
      assert.ok(entry?.type === "agent-event");
      assert.ok(JSON.stringify(entry).length < 10_000);
      log.tell(entry, index);
      const { state } = log.state.runs.get(entry.runID)!;
      assert.equal(state, index === 0 ? "waiting-approval" : "running");
    }
  }
});
