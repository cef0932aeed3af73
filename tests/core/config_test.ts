/** The configuration: its forms of time, its defaults, and sentences for what is wrong. */

import assert from "node:assert/strict";
import { configJsonSchema, DEFAULT_CONFIG, parseConfig } from "../../src/core/config.ts";
import { nearestWord } from "../../src/core/nearest_word.ts";
import { RETENTION_MS } from "../../src/core/log/retention.ts";
import { IDLE_AFTER_MS } from "../../src/core/view/view.ts";
import { parseConfigText } from "../../src/socket/config_file.ts";

function issuesOf(value: unknown): readonly string[] {
  const result = parseConfig(value);
  return result.ok ? [] : result.issues;
}

Deno.test("without a file the defaults of the rest of the program hold", () => {
  assert.equal(DEFAULT_CONFIG.idleAfter, IDLE_AFTER_MS);
  assert.equal(DEFAULT_CONFIG.retention, RETENTION_MS);
  assert.equal(DEFAULT_CONFIG.estimate, "auto");
  const { channels } = DEFAULT_CONFIG.notify;
  const on = Object.entries(channels).filter(([, { enabled }]) => enabled).map(([name]) => name);
  assert.deepEqual(on, ["desktop", "tmux", "command", "webhook", "ntfy"]);
  for (const text of ["", "  \n", "// only a comment\n", "{}", "{ /* c */ }", "\ufeff{}"]) {
    assert.deepEqual(parseConfigText(text), { ok: true, config: DEFAULT_CONFIG, notes: [] }, text);
  }
});

Deno.test("times are written as people write them", () => {
  const cases: [unknown, number][] = [
    ["500ms", 500],
    ["1.5s", 1_500],
    ["10s", 10_000],
    ["5m", 300_000],
    ["3h", 10_800_000],
    ["7d", 604_800_000],
    [90, 90_000],
    [0, 0],
  ];
  for (const [idleAfter, millis] of cases) {
    const result = parseConfig({ idleAfter });
    assert.equal(result.ok && result.config.idleAfter, millis, String(idleAfter));
  }
  for (const idleAfter of ["", "5", "m", "5 m", "-1s", -1, true, null, "1e3s", {}]) {
    assert.match(issuesOf({ idleAfter })[0] ?? "", /^idleAfter: /, JSON.stringify(idleAfter));
  }
});

Deno.test("an unknown key is named, with the nearest one that there is", () => {
  assert.deepEqual(issuesOf({ idelAfter: "5m" }), [
    'idelAfter: unknown key, did you mean "idleAfter"?',
  ]);
  assert.deepEqual(issuesOf({ notify: { chanels: {} } }), [
    'notify.chanels: unknown key, did you mean "channels"?',
  ]);
  assert.deepEqual(issuesOf({ notify: { channels: { desktop: { kind: [] } } } }), [
    'notify.channels.desktop.kind: unknown key, did you mean "kinds"?',
  ]);
  assert.deepEqual(issuesOf({ xyzzy: 1 }), ["xyzzy: unknown key"]);
});

Deno.test("a wrong value is said with its key", () => {
  const cases: [unknown, RegExp][] = [
    [{ estimate: "never" }, /^estimate: .*auto/],
    [{ notify: { kinds: ["approval"] } }, /^notify\.kinds\.0: /],
    [
      { notify: { quietHours: { from: "25:00", to: "07:00" } } },
      /^notify\.quietHours\.from: takes a time/,
    ],
    [{ notify: { channels: { webhook: { url: "file:///etc" } } } }, /url: takes an http/],
    [{ notify: { channels: { ntfy: { topic: "a/b" } } } }, /topic: takes letters/],
    [{ notify: { channels: { tmux: { option: "x; kill-server" } } } }, /option: takes a name/],
    [{ notify: { channels: { command: { run: [] } } } }, /^notify\.channels\.command\.run: /],
    [[], /^the file: /],
    ["x", /^the file: /],
  ];
  for (const [value, issue] of cases) {
    assert.match(issuesOf(value)[0] ?? "", issue, JSON.stringify(value));
  }
});

Deno.test("a misspelt name in a rule is an error with the nearest one; a stranger's name is noted", () => {
  const claud = 'providers.0: "claud" is no agent, did you mean "claude"?';
  assert.deepEqual(issuesOf({ notify: { providers: ["claud", "codex"] } }), [`notify.${claud}`]);
  const channels = { desktop: { providers: ["claud"], kinds: ["completon"] } };
  const [kinds, providers] = issuesOf({ notify: { channels } }).toSorted();
  assert.match(
    kinds!,
    /^notify\.channels\.desktop\.kinds\.0: "completon" is none of .*, did you mean "completion"\?$/,
  );
  assert.equal(providers, `notify.channels.desktop.${claud}`);
  assert.match(issuesOf({ estimate: "of" })[0]!, /"of" is none of auto, .*, did you mean "off"\?$/);
  const own = parseConfig({ notify: { providers: ["claude", "kimi-cli", "my-robot"] } });
  assert.ok(own.ok);
  assert.ok(own.notes.some((note) => note.includes('"my-robot" is none of the known agents')));
});

Deno.test("what is missing and what is given twice is said so", () => {
  assert.deepEqual(issuesOf({ notify: { quietHours: { from: "22:00" } } }), [
    "notify.quietHours.to is missing",
  ]);
  const twice =
    '{\n "retention": "7d",\n "notify": { "kinds": [],\n  "kinds": [] },\n "retention": "1d" }';
  assert.deepEqual(parseConfigText(twice), {
    ok: false,
    issues: [
      "notify.kinds: given twice, in line 3 and in line 4",
      "retention: given twice, in line 2 and in line 5",
    ],
  });
});

Deno.test("a syntax error names line and column", () => {
  const result = parseConfigText('{\n  "idleAfter": "5m"\n  "retention": "7d"\n}');
  assert.deepEqual(result, { ok: false, issues: ["line 3, column 3: comma expected"] });
  assert.ok(parseConfigText('{ "idleAfter": "5m", }').ok, "a trailing comma is allowed");
});

Deno.test("the published schema has every key, with its default", () => {
  const schema = configJsonSchema() as {
    properties: Record<string, { default?: unknown; properties?: Record<string, unknown> }>;
  };
  assert.deepEqual(Object.keys(schema.properties), [
    "$schema",
    "idleAfter",
    "retention",
    "estimate",
    "notify",
  ]);
  assert.equal(schema.properties.idleAfter!.default, "5m");
  assert.ok("channels" in schema.properties.notify!.properties!);
});

Deno.test("a wrong guess is worse than none", () => {
  const known = ["desktop", "terminal", "tmux"];
  assert.equal(nearestWord("dekstop", known), "desktop");
  assert.equal(nearestWord("Terminal", known), "terminal");
  assert.equal(nearestWord("tmxu", known), "tmux");
  assert.equal(nearestWord("pager", known), undefined);
  assert.equal(nearestWord("x".repeat(10_000), known), undefined);
});
