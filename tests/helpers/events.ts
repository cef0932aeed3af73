/** What the log holds and what must be nowhere in it, as a user can find out. */

import assert from "node:assert/strict";
import type { EventJson } from "../../src/core/log/event_json.ts";
import type { ControlClient } from "../../src/socket/client.ts";
import { exchange, type TestServer } from "./daemon.ts";

/** Every row of the log, through the control API, page by page. */
export async function allEvents(control: ControlClient): Promise<EventJson[]> {
  const rows: EventJson[] = [];
  for (;;) {
    const after = rows.at(-1)?.position ?? 0;
    const { body } = await control.request(`/v1/events?after=${after}&limit=1000`);
    const { events } = body as { events: EventJson[] };
    if (events.length === 0) return rows;
    rows.push(...events);
  }
}

/** Rows that agents sent; what the daemon concluded or saw by itself is left out. */
export async function agentEvents(control: ControlClient): Promise<EventJson[]> {
  return (await allEvents(control)).filter((row) =>
    row.type === "agent-event" && (row.source === "envelope" || row.source === "hook")
  );
}

/** `bytes` is answered with exactly this refusal, and the log has not grown. */
export async function assertRefused(
  test: TestServer,
  bytes: string | Uint8Array,
  code: string,
  what = "",
): Promise<void> {
  const before = test.server.daemon.eventLog.count();
  const answer = await exchange(test.paths.eventSocket, bytes);
  assert.equal(answer, `{"ok":false,"error":"${code}"}\n`, what);
  assert.equal(test.server.daemon.eventLog.count(), before, `nothing stored: ${what}`);
}

/** No log line, no file of the state folder and no page of the API holds any of `secrets`. */
export async function assertNoTrace(test: TestServer, secrets: readonly string[]): Promise<void> {
  const texts = [test.logged.join("\n")];
  for (const path of ["/v1/events", "/v1/list", "/v1/attention?all=1", "/v1/providers"]) {
    texts.push(JSON.stringify((await test.control.request(path)).body));
  }
  texts.push(...folderTexts(test.paths.state));
  for (const secret of secrets) {
    for (const text of texts) assert.ok(!text.includes(secret), "a secret was found");
  }
}

/** Every file below `folder` as Latin-1, so that any byte sequence can be searched. */
export function folderTexts(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) return folderTexts(path);
    return [new TextDecoder("latin1").decode(Deno.readFileSync(path))];
  });
}

/** Waits until `check` gives a value; fails after `millis`. */
export async function eventually<T>(
  check: () => T | undefined | false | Promise<T | undefined | false>,
  millis = 10_000,
): Promise<T> {
  const end = performance.now() + millis;
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > end) throw new Error("It did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
