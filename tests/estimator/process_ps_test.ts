import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { terminalHost } from "../../src/core/process/process.ts";
import { matchProcess } from "../../src/core/process/signature.ts";
import { foregroundAgent } from "../../src/core/process/signature_agent.ts";
import { parseLsof, parsePs, pickPsEnv, ttyPath } from "../../src/estimator/process_ps.ts";
import { PROVIDERS } from "../fixtures/processes/providers.ts";

function fixture(name: string): string {
  return readFileSync(new URL(`../fixtures/processes/${name}`, import.meta.url), "utf8");
}

const rows = parsePs(fixture("darwin-table.txt"));
const table = new Map(rows.map((row) => [row.pid, row]));

Deno.test("a macOS table is read: blanks in names, padding, wide numbers, zombies left out", () => {
  assert.equal(rows.length, 15);
  assert.deepEqual(table.get(431)?.comm, "Google Chrome");
  assert.equal(table.get(431)?.tty, null);
  assert.equal(table.get(431)?.foregroundPgid, -1);
  assert.equal(table.has(830), false);
  assert.equal(table.get(840)?.uid, 4294967294);
  assert.deepEqual(table.get(123456), {
    pid: 123456,
    ppid: 99999,
    pgid: 123456,
    sid: 0,
    tty: "/dev/ttys012",
    foregroundPgid: 123456,
    startTime: "Tue Dec  1 01:02:03 2026",
    comm: "node",
    argv: ["pi"],
    uid: 4294967294,
  });
});

Deno.test("agents of a macOS table are recognised", () => {
  const agent = (tty: string) => foregroundAgent(table, tty, { providers: PROVIDERS });
  const claude = agent("/dev/ttys003");
  assert.deepEqual([claude?.provider, claude?.row.pid], ["claude-code", 700]);
  const codex = agent("/dev/ttys004");
  assert.deepEqual([codex?.provider, codex?.row.pid, codex?.leader.pid], ["codex", 811, 810]);
  assert.equal(agent("/dev/ttys012")?.provider, "pi");
  assert.equal(matchProcess(table.get(701)!, PROVIDERS), null);
  assert.equal(matchProcess(table.get(720)!, PROVIDERS), null);
  assert.equal(matchProcess(table.get(820)!, PROVIDERS)?.shared, true);
  assert.equal(terminalHost(table, 700)?.pid, 512);
});

Deno.test("the same pid with another start time is another process", () => {
  const line = fixture("darwin-table.txt").split("\n").find((text) => text.includes(" claude "))!;
  const later = parsePs(line.replace("09:15:00", "09:15:01"))[0];
  assert.notEqual(later?.startTime, table.get(700)?.startTime);
});

Deno.test("terminal names of all spellings are one path", () => {
  assert.deepEqual(
    ["s003", "ttys003", "/dev/ttys003", "console", "??", "?", "-", "pts/3", "ttyp0", "p0"].map(
      ttyPath,
    ),
    [
      "/dev/ttys003",
      "/dev/ttys003",
      "/dev/ttys003",
      "/dev/console",
      null,
      null,
      null,
      "/dev/pts/3",
      "/dev/ttyp0",
      "/dev/ttyp0",
    ],
  );
});

Deno.test("variables are read behind the arguments only, values may hold blanks", () => {
  const command = "claude TMUX=/argument,1,0";
  const text = `${command} TERM=xterm TMUX=/tmp/a b,2,0 TMUX_PANE=%3 EMPTY= LAST=x=y z\n`;
  assert.deepEqual(pickPsEnv(text, ["TMUX", "TMUX_PANE", "EMPTY", "LAST", "NONE"], command), {
    TMUX: "/tmp/a b,2,0",
    TMUX_PANE: "%3",
    EMPTY: "",
    LAST: "x=y z",
  });
  assert.deepEqual(pickPsEnv(`${command}\n`, ["TMUX"], command), {});
});

Deno.test("lsof's fields give the folder and the regular files", () => {
  assert.deepEqual(parseLsof(fixture("darwin-lsof.txt")), {
    cwd: "/Users/me/work here",
    files: ["/Users/me/.codex/sessions/2026/12/01/rollout-x.jsonl"],
  });
  assert.deepEqual(parseLsof(""), { cwd: null, files: [] });
});
