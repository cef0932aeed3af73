/** Bytes of terminals and of files that are being written: any cuts, any damage. */

import assert from "node:assert/strict";
import { isObject } from "../../src/core/json.ts";
import { TerminalSignals } from "../../src/core/estimate/terminal_signals.ts";
import { PROVIDERS } from "../../src/core/registry.ts";
import { decodeEnvelope } from "../../src/core/wire/envelope.ts";
import { hookRequest } from "../../src/core/wire/hook_request.ts";
import { parseSpoolFile } from "../../src/core/wire/spool_file.ts";
import { Tail } from "../../src/estimator/tail.ts";
import { envelope, withFolder } from "../helpers/daemon.ts";
import { type Chance, fuzz } from "../helpers/chance.ts";
import { mutatedBytes, mutatedText, randomBytes } from "./mutate.ts";
import { fileSamples } from "./samples.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const SEQUENCES = [
  "\x1b]133;A\x07",
  "\x1b]133;C\x1b\\",
  "\x1b]133;D;2\x07",
  "\x1b]9;Done é🙂\x07",
  "\x1b]9;4;1;40\x07",
  "\x1b]777;notify;Title;the body\x1b\\",
  "\x1b]99;i=1:d=0;Ti\x07\x1b]99;i=1:p=body:e=1;w7xiZXI=\x07",
  "\x1b]7;file://host/a%20b\x07",
  "\x1b]7501;state=blocked;message=ok?\x07",
  "\x1bPtmux;\x1b\x1b]9;hello\x07\x1b\\",
  "plain text \x1b[31mred\x1b[0m\r\n",
];

Deno.test("fuzz: a terminal's stream means the same however it is cut, and nothing in it reaches a screen raw", async () => {
  await fuzz(400, (chance) => {
    const parts = Array.from({ length: 1 + chance.below(12) }, () => chance.pick(SEQUENCES));
    const bytes = mutatedBytes(encoder.encode(parts.join("")), chance, chance.below(6));
    const whole = new TerminalSignals().push(bytes);
    const parser = new TerminalSignals();
    const cut = chunksOf(bytes, chance).flatMap((chunk) => parser.push(chunk));
    assert.deepEqual(cut, whole);
    // deno-lint-ignore no-control-regex -- exactly what must not be there.
    for (const text of textsIn(whole)) assert.doesNotMatch(text, /[\x00-\x1f\x7f-\x9f]/);
    for (const text of textsIn(whole)) assert.ok(text.isWellFormed());
  });
});

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function chunksOf(bytes: Uint8Array, chance: Chance): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = 1 + chance.below(chance.pick([1, 7, 100]));
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

Deno.test("fuzz: a damaged file is followed without an error, and a whole line at its end is read", async () => {
  const readers = PROVIDERS.flatMap(({ id, transcript }) =>
    transcript === undefined ? [] : [{ transcript, samples: fileSamples(id) }]
  ).filter(({ samples }) => samples.length > 0);
  await withFolder(async (folder) => {
    await fuzz(60, (chance) => {
      const { transcript, samples } = chance.pick(readers);
      const path = `${folder}/transcript.jsonl`;
      Deno.writeFileSync(path, new Uint8Array());
      const tail = new Tail(path, { firstBytes: 2_000, lineBytes: 20_000, turnBytes: 5_000 });
      const read = transcript.reader("a session");
      for (let turn = 0; turn < 8; turn++) {
        change(path, samples, chance);
        for (const line of linesOf(tail)) {
          assert.ok(isObject(line));
          read(line);
        }
      }
      Deno.writeTextFileSync(path, `\n{"last":"${chance.below(2 ** 31)}"}\n`, { append: true });
      const text = Deno.readTextFileSync(path);
      const last = text.trimEnd().split("\n").at(-1)!;
      assert.deepEqual(linesOf(tail).at(-1), JSON.parse(last));
    });
  });
});

function linesOf(tail: Tail) {
  const lines = [];
  for (let turn = 0; turn < 1_000; turn++) {
    const read = tail.read();
    lines.push(...read.lines);
    if (!read.hasMore) return lines;
  }
  return assert.fail("there is no end to it");
}

/** Appended, torn, cut short, rewritten, replaced, or gone for a moment. */
function change(path: string, samples: readonly unknown[], chance: Chance): void {
  const lines = Array.from({ length: chance.below(5) }, () => JSON.stringify(chance.pick(samples)));
  const bytes = encoder.encode(lines.map((line) => `${line}\n`).join(""));
  const torn = mutatedBytes(bytes, chance, chance.below(3));
  const options = { append: true, create: true };
  chance.pick([
    () => Deno.writeFileSync(path, bytes, options),
    () => Deno.writeFileSync(path, torn, options),
    () => Deno.writeFileSync(path, bytes.subarray(0, chance.below(bytes.length + 1)), options),
    () => Deno.truncateSync(path, chance.below(Deno.statSync(path).size + 1)),
    () =>
      Deno.writeFileSync(path, mutatedBytes(Deno.readFileSync(path).subarray(0, 8_000), chance)),
    () => {
      Deno.writeFileSync(`${path}.new`, torn);
      Deno.renameSync(`${path}.new`, path);
    },
  ])();
}

Deno.test("fuzz: envelopes, spooled hooks and headers of any damage are read or refused", async () => {
  const surface = { surfaceID: crypto.randomUUID(), capability: "c".repeat(64) };
  const line = envelope(surface, { message: "é🙂", toolUseID: "t", toolName: "Bash" });
  const spooled = "mytty-provider: claude-code\nmytty-at: 1\nmytty-env: A=b\n\n{}";
  await fuzz(500, (chance) => {
    const decoded = decodeEnvelope(mutatedText(line, chance));
    if (decoded.ok) assert.ok(textsIn(decoded.envelope.event).every((text) => text.isWellFormed()));
    const bytes = chance.below(4) === 0
      ? randomBytes(chance, 200)
      : mutatedBytes(encoder.encode(spooled), chance);
    const file = parseSpoolFile(bytes, (part) => decoder.decode(part));
    assert.ok(file === null || /^[a-z0-9-]{1,64}$/.test(file.request.provider));
    hookRequest("x", [[mutatedText("mytty-at", chance), mutatedText("12", chance)]]);
  });
});
