/**
 * What real agents wrote into their own files, line by line as it was seen there (recorded in the
 * same way as the hooks; `driver` lines say what was done), and the facts it must become.
 */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { isObject, type JsonObject, parseJson } from "../../src/core/json.ts";
import { findProvider, PROVIDERS } from "../../src/core/registry.ts";
import fc from "fast-check";

const FIXTURES = new URL("../fixtures/providers/", import.meta.url);

/** Kinds in order; "?" marks what is believed only where no hooks speak. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  "kimi tui-deny-option": ["session", "started", "approval-requested", "running", "succeeded"],
  "kimi tui-error": ["session", "started", "failed"],
  "kimi tui-esc-tool": ["session", "started", "approval-requested", "running", "idle"],
  "qwen tui-deny": ["started", "idle"],
  "qwen tui-error": ["started", "failed?"],
  "qwen tui-esc": ["started", "succeeded?"],
  "gemini tui-approve": ["started", "running", "succeeded?"],
  "gemini tui-deny-option": ["started", "idle", "idle"],
  "gemini tui-deny": ["started", "idle", "idle"],
  "gemini tui-error": ["started", "failed"],
  "gemini tui-esc": ["started", "idle"],
  "gemini tui-esc-tool": ["started", "idle", "idle"],
  "pi tui-error": ["session", "started", "failed?"],
  "pi tui-esc": ["session", "started", "idle"],
  "copilot tui-approve": ["started", "approval-requested?", "running", "succeeded"],
  "copilot tui-error": ["started", "failed"],
};

for (const [name, expected] of Object.entries(EXPECTED)) {
  Deno.test(`${name}: its own file tells ${expected.join(", ")}`, () => {
    const [agent, scenario] = name.split(" ") as [string, string];
    const spec = findProvider(agent)!.transcript!;
    const url = new URL(`${agent}/transcripts/${scenario}.jsonl`, FIXTURES);
    const lines = Deno.readTextFileSync(url).trim().split("\n").map((line) => JSON.parse(line));
    const sessions = lines.flatMap(({ file }) =>
      file === undefined ? [] : spec.sessionOf(file) ?? []
    );
    const sessionID = sessions[0]!;
    const read = spec.reader(sessionID);
    const facts = lines.filter(({ file }) =>
      file !== undefined && spec.sessionOf(file) === sessionID
    )
      .flatMap(({ line }) => read(line)).map(({ fact }) => fact);
    const told = facts.map((fact) =>
      fact.fact === "run" ? `${fact.kind}${fact.weak ? "?" : ""}` : "session"
    );
    assert.deepEqual(told, expected);
    for (const fact of facts) {
      assert.match(fact.hookName, /^mytty\.native\./);
      assert.equal(fact.sessionID, sessionID);
    }
  });
}

Deno.test("transcript and status readers survive any JSON", () => {
  for (const { transcript, liveStatus } of PROVIDERS) {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 4 }),
        (lines) => {
          const read = transcript?.reader("s");
          for (const line of lines) {
            const value = JSON.parse(JSON.stringify(line));
            if (!isObject(value)) continue;
            for (
              const type of ["user", "assistant", "message", "event_msg", "gemini", "turn.prompt"]
            ) {
              read?.({ ...value, type, payload: value, message: value, data: value });
            }
            liveStatus?.read(value, { pid: 1, startTime: "1" });
          }
        },
      ),
      { numRuns: 40 },
    );
  }
});

/** The lines of every transcript of one agent that was recorded. */
function linesOf(agent: string): JsonObject[] {
  return ["transcripts", "recordings"].flatMap((folder) => {
    const url = new URL(`${agent}/${folder}/`, FIXTURES);
    if (!existsSync(url)) return [];
    const names = [...Deno.readDirSync(url)].map(({ name }) => name).filter((name) =>
      folder === "transcripts" ? name.endsWith(".jsonl") : name.endsWith(".transcript.jsonl")
    );
    return names.flatMap((name) =>
      Deno.readTextFileSync(new URL(name, url)).trim().split("\n").slice(1)
        .map((text) => parseJson(text) ?? null).filter(isObject)
        .map((line) => folder === "recordings" ? line : line.line ?? null).filter(isObject)
    );
  });
}

Deno.test("another agent's transcript tells nothing", () => {
  for (const owner of PROVIDERS) {
    const lines = linesOf(owner.id);
    for (const { id, transcript } of PROVIDERS) {
      if (transcript === undefined || id === owner.id) continue;
      const read = transcript.reader("s");
      const facts = lines.flatMap((line) => read(line)).map(({ fact }) => fact);
      assert.deepEqual(facts, [], `${owner.id} read as ${id}`);
    }
  }
});
