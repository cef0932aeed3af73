/**
 * People's configs with any damage: an installation is refused, or can be taken back to the very
 * bytes, and changes nothing that is not ours. Then our own files, damaged.
 */

import assert from "node:assert/strict";
import { PROVIDERS } from "../../src/core/registry.ts";
import { type DesiredHooks, desiredOf } from "../../src/installers/desired.ts";
import { planTarget } from "../../src/installers/plan_target.ts";
import { readConfig } from "../../src/installers/verify.ts";
import { formatOf } from "../../src/installers/plan_target.ts";
import { parseConfigText } from "../../src/socket/config_file.ts";
import { type Chance, fuzz } from "../helpers/chance.ts";
import { installContextFor } from "../helpers/install_home.ts";
import { mutatedText } from "./mutate.ts";

const CONTEXT = installContextFor("/home/ann");

const TEXTS: Readonly<Record<string, readonly string[]>> = {
  json: [
    "",
    "{}",
    '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "type": "command", "command": "say done" }] }\n    ]\n  }\n}\n',
    '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a"},{"type":"command","command":"b"}]}]},"env":{"A":"1"}}',
    '{\r\n\t"permissions": {"allow": ["Bash(ls)"]},\r\n\t"hooks": {}\r\n}\r\n',
    '{ "version": 1, "hooks": { "sessionStart": [ { "bash": "x", "type": "command" } ], "stop": [] } }',
  ],
  jsonc: [
    "// nothing yet\n",
    '{\n  // mine\n  "theme": "dark", /* both */\n  "hooks": {\n    "AfterAgent": [ { "hooks": [ { "type": "command", "command": "x // y" }, ] }, ],\n  },\n}\n',
    '\ufeff{"a":"https://x/,]","hooks":{"Stop":[]}}',
  ],
  toml: [
    "",
    '# mine\nmodel = "gpt"\nnotify = ["bash", "-lc", "x"]\n\n[features]\nweb = true\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say"\n',
    'features = { a = 1 }\r\n[mcp."x y"]\r\nurl = """a\r\nb"""\r\n',
    "[a.b]\nc = [1, # one\n  2,\n]\n\n[features]\nhooks = false",
    'hooks = [\n  { event = "Stop", command = "x" },\n]\n',
  ],
};

type Target = { readonly id: string; readonly wanted: DesiredHooks; readonly gone: DesiredHooks };

const TARGETS: readonly Target[] = PROVIDERS.flatMap((record) => {
  const all = (wanted: boolean) =>
    desiredOf(record, CONTEXT, { version: null, wanted })
      .filter((desired): desired is DesiredHooks => desired.kind === "hooks");
  const gone = all(false);
  return all(true).flatMap((wanted) => {
    const other = gone.find(({ path }) => path === wanted.path);
    return other === undefined ? [] : [{ id: record.id, wanted, gone: other }];
  });
});

Deno.test("fuzz: a damaged config is refused, or given back to the byte with nothing of others changed", async () => {
  assert.ok(TARGETS.length > 5);
  await fuzz(600, (chance) => {
    const target = chance.pick(TARGETS);
    const { dialect } = target.wanted.target;
    const families = dialect === "jsonc" ? ["json", "jsonc"] : [dialect];
    const sample = chance.pick(TEXTS[chance.pick(families)]!);
    const text = mutatedText(sample, chance, chance.below(5));
    // Damage may cut a character in two; a file that is not UTF-8 is refused before any plan.
    if (text.isWellFormed()) assertUndone(target, text);
  });
});

const NONE: ReadonlySet<string> = new Set();

function assertUndone({ id, wanted, gone }: Target, text: string): void {
  const options = { record: undefined, neighbours: NONE, uninstalls: false };
  const plan = planTarget(text, wanted, options);
  const what = JSON.stringify({ id, text, after: plan.ok ? plan.after?.text : plan.issue });
  if (!plan.ok) return assert.match(plan.issue.message, /^Cannot .*[^.]$/s, what);
  if (!plan.changed || plan.after === null) return;
  const after = plan.after.text;
  const format = formatOf(wanted.target.dialect);
  const [before, now] = [readConfig(text, format), readConfig(after, format)];
  assert.ok(before.ok && now.ok, what);
  const required = (wanted.target.required ?? []).map(({ path }) => path.join("\0"));
  assertHeld(before.value, now.value, { path: [], required, what });
  const record = plan.record ?? undefined;
  const again = planTarget(after, wanted, { ...options, record });
  assert.ok(again.ok && !again.changed, `a second time changes nothing: ${what}`);
  const undo = planTarget(after, gone, { ...options, record, uninstalls: true });
  assert.ok(undo.ok && undo.changed, what);
  assert.equal(undo.after?.text ?? "", text, what);
}

/** All of `before` is in `now`: members as they were, elements in front, in their order. */
function assertHeld(
  before: unknown,
  now: unknown,
  { path, required, what }: { path: readonly string[]; required: readonly string[]; what: string },
): void {
  if (required.includes(path.join("\0"))) return;
  if (Array.isArray(before)) {
    assert.ok(Array.isArray(now) && now.length >= before.length, what);
    return before.forEach((item, index) =>
      assertHeld(item, now[index], { path: [...path, String(index)], required, what })
    );
  }
  if (typeof before === "object" && before !== null && before.constructor === Object) {
    assert.ok(typeof now === "object" && now !== null, what);
    for (const key of Object.keys(before)) {
      const inner = (now as Record<string, unknown>)[key];
      const value = (before as Record<string, unknown>)[key];
      assertHeld(value, inner, { path: [...path, key], required, what });
    }
    return;
  }
  assert.deepEqual(now, before, what);
}

const OWN = `{
  // notices
  "idleAfter": "5m", "retention": 604800,
  "notify": {
    "hold": "1s", "quietHours": { "from": "22:00", "to": "07:30" },
    "channels": { "command": { "run": ["a", "b"] }, "webhook": { "url": "https://example.org" } },
  },
}
`;

Deno.test("fuzz: mytty's own configuration is taken, or refused in words", async () => {
  await fuzz(600, (chance: Chance) => {
    const result = parseConfigText(mutatedText(OWN, chance));
    if (result.ok) return assert.ok(result.config.idleAfter >= 0);
    assert.ok(result.issues.length > 0);
    for (const issue of result.issues) assert.match(issue, /\S/);
  });
});
