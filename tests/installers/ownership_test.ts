/** What we write we recognise, whatever the path; what others wrote we do not (bugs.md C18-C21). */

import assert from "node:assert/strict";
import fc from "fast-check";
import { hookCommand, isOurCommand, parseOwnCommand } from "../../src/installers/ownership.ts";
import { writeExecutable } from "../helpers/executable.ts";

const provider = fc.constantFrom("claude-code", "codex", "pi", "a-b-9");
const event = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.:-]{0,20}$/);
const folder = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc.constantFrom("a b'c $x;é", 'q"q', "\\", "`id`", "$(id)", "&&", "||", "a\nb", "-x", "]"),
).map((name) => name.replaceAll("\0", ""));

Deno.test("recognise(make(x)) holds for any path", () => {
  fc.assert(
    fc.property(fc.array(folder), provider, event, (folders, provider, event) => {
      const launcher = ["", ...folders, "hooks", "mytty-hook"].join("/");
      const command = hookCommand({ launcher, provider, event });
      assert.deepEqual(parseOwnCommand(command), { launcher, provider, event });
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("C18, C20: older spellings and paths are ours", () => {
  const rows = [
    "/old/hooks/mytty-hook claude-code",
    "'/Users/a b/state/hooks/mytty-hook' claude",
    '"$HOME/.local/state/mytty/hooks/mytty-hook" codex',
    "$HOME/.local/state/mytty/hooks/mytty-hook codex --event Stop",
    "~/.local/state/mytty/hooks/mytty-hook codex",
    "/home/x//.local/state//mytty/hooks//mytty-hook codex",
    "/a\\ b/mytty-hook.sh codex --event 'Stop' 2>/dev/null",
    "/a/mytty-hook codex >/dev/null 2>&1 || true",
    "[ -x /a/mytty-hook ] && /a/mytty-hook codex || :",
    'test -x "/a/mytty-hook" && exec "/a/mytty-hook" codex; exit 0',
    "mytty hook claude",
    "/usr/local/bin/mytty hook claude --event Stop",
    "mytty hook claude-code --event Stop >/dev/null 2>&1 || true",
    "mytty hook codex; exit 0",
  ];
  for (const row of rows) assert.ok(isOurCommand(row), row);
});

Deno.test("C19, C20: commands of others that contain our name are not ours", () => {
  const rows = [
    "",
    "mytty",
    "mytty list",
    "mytty run -- claude",
    "echo /a/hooks/mytty-hook codex",
    "nice /a/hooks/mytty-hook codex",
    "/a/hooks/mytty-hook-mine codex",
    "/a/my-mytty-hook codex",
    "/a/mytty-hook/run.sh codex",
    "/a/mytty-hook codex; rm -rf /x",
    "mytty hook codex || say failed",
    "/a/mytty-hook codex && say done",
    "/a/mytty-hook codex | tee log",
    "/a/mytty-hook codex & other",
    "[ -x /a/mytty-hook ] && exec /b/mytty-hook codex; exit 0",
    "[ -x /a/mytty-hook ] && exec /a/mytty-hook codex; say done",
    "/a/mytty-hook $(whoami)",
    "/a/mytty-hook codex extra words",
    "/a/mytty-hook 'Not A Provider'",
    "/a/mytty-hook codex\nsay done",
    "# /a/mytty-hook codex",
    "VAR=1 /a/mytty-hook codex",
  ];
  for (const row of rows) assert.ok(!isOurCommand(row), row);
});

Deno.test("no text makes the recogniser throw", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    isOurCommand(text);
    isOurCommand(`/a/mytty-hook ${text}`);
  }));
});

Deno.test("C21, C24: the command is silent without its launcher, and runs it from odd folders", async () => {
  const root = Deno.makeTempDirSync({ prefix: "a b'c $x;é" });
  try {
    const launcher = `${root}/mytty-hook`;
    const run = async () => {
      const args = ["-c", hookCommand({ launcher, provider: "codex", event: "Stop" })];
      const { code, stdout, stderr } = await new Deno.Command("/bin/sh", {
        args,
        env: { PATH: "" },
        stdin: "null",
      }).output();
      return [code, new TextDecoder().decode(stdout), new TextDecoder().decode(stderr)];
    };
    assert.deepEqual(await run(), [0, "", ""]);
    writeExecutable(launcher, '#!/bin/sh\necho "$*"\n');
    assert.deepEqual(await run(), [0, "codex --event Stop\n", ""]);
    Deno.chmodSync(launcher, 0o600);
    assert.deepEqual(await run(), [0, "", ""]);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
