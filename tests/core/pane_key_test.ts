import assert from "node:assert/strict";
import { type PaneEnv, paneKey, paneText, tmuxServer } from "../../src/core/placement/pane_key.ts";

const HOST = { pid: 77, startTime: "500" };
const UUID = "0D2CF3C4-9F0E-4F0E-8C53-2B0A8C1F2B11";
function startOf(pid: number): string | undefined {
  return { 77: "500", 1234: "900" }[pid];
}

function key(env: PaneEnv, host?: typeof HOST | null): string | null {
  return paneKey(env, host === undefined ? { startOf } : { startOf, host });
}

const TMUX = { TMUX: "/tmp/tmux-0/default,1234,0", TMUX_PANE: "%3", TERM_PROGRAM: "tmux" };
const SERVER = { pid: 1234, startTime: "900" };

Deno.test("a tmux variable is split from its end: sockets may hold commas", () => {
  assert.deepEqual(tmuxServer({ TMUX: "/tmp/a,b,9,12,3" }), { socket: "/tmp/a,b,9", pid: 12 });
  for (const text of ["", "x", "/tmp/a,1", "/tmp/a,x,0", "rel,1,0"]) {
    assert.equal(tmuxServer({ TMUX: text }), null, text);
  }
});

Deno.test("a tmux key holds socket, server pid, server start and pane", () => {
  const expected = "tmux:%2Ftmp%2Ftmux-0%2Fdefault:1234:900:%253";
  assert.equal(key(TMUX), expected);
  assert.equal(key(TMUX, SERVER), expected);
  const others = [
    key({ ...TMUX, TMUX_PANE: "%4" }),
    key({ ...TMUX, TMUX: "/tmp/tmux-0/other,1234,0" }),
    paneKey(TMUX, { startOf: () => "901" }),
  ];
  assert.equal(new Set([expected, ...others]).size, 4);
});

Deno.test("a key is shown as a person would say it", () => {
  const zellij = { ZELLIJ_PANE_ID: "4", ZELLIJ_SESSION_NAME: "my work" };
  const shown = [key(TMUX), key(zellij, HOST), key({ KITTY_WINDOW_ID: "2" }, HOST)].map((made) =>
    paneText(made!)
  );
  assert.deepEqual(shown, ["tmux default %3", "zellij my work pane 4", "kitty window 2"]);
  assert.equal(paneText("iterm:0D2C"), "iterm 0D2C");
  assert.equal(paneText("odd:%zz"), "odd %zz");
});

Deno.test("no key where the server cannot be told", () => {
  assert.equal(paneKey(TMUX, { startOf: () => undefined }), null);
  assert.equal(key({ ...TMUX, TMUX_PANE: "3" }), null);
  assert.equal(key({ TMUX: TMUX.TMUX }), null);
  assert.equal(key({ KITTY_WINDOW_ID: "1" }), null);
  assert.equal(key({ WEZTERM_PANE: "0" }, null), null);
  assert.equal(key({ ZELLIJ_SESSION_NAME: "s", ZELLIJ_PANE_ID: "1" }), null);
  assert.equal(key({}), null);
  assert.equal(key({ KITTY_WINDOW_ID: "x", TERM_SESSION_ID: "w0t0" }, HOST), null);
});

Deno.test("numbered panes count together with the process that owns the terminal", () => {
  assert.equal(key({ KITTY_WINDOW_ID: "1" }, HOST), "kitty:77:500:1");
  assert.equal(key({ WEZTERM_PANE: "0", TERM_PROGRAM: "WezTerm" }, HOST), "wezterm:77:500:0");
  assert.equal(
    key({ ZELLIJ_SESSION_NAME: "a:b", ZELLIJ_PANE_ID: "2" }, HOST),
    "zellij:77:500:a%3Ab:2",
  );
  const restarted = { pid: 77, startTime: "999" };
  assert.notEqual(key({ KITTY_WINDOW_ID: "1" }, restarted), key({ KITTY_WINDOW_ID: "1" }, HOST));
});

Deno.test("terminals with unique ids need no owner", () => {
  const env = { ITERM_SESSION_ID: `w0t1p0:${UUID}`, TERM_SESSION_ID: `w0t1p0:${UUID}` };
  assert.equal(key({ ...env, TERM_PROGRAM: "iTerm.app" }), `iterm:${UUID}`);
  assert.equal(key({ TERM_PROGRAM: "Apple_Terminal", TERM_SESSION_ID: UUID }), `term:${UUID}`);
});

Deno.test("the innermost one counts", () => {
  const zellij = { ZELLIJ_SESSION_NAME: "s", ZELLIJ_PANE_ID: "2" };
  assert.match(key({ ...TMUX, KITTY_WINDOW_ID: "1" }, SERVER)!, /^tmux:/);
  assert.match(key({ ...TMUX, ...zellij }, SERVER)!, /^tmux:/);
  assert.match(key({ ...TMUX, ...zellij }, HOST)!, /^zellij:/);
  assert.equal(key({ ...TMUX, ...zellij }), null);
  // A terminal started from a tmux pane inherits its variables and is not that pane.
  assert.equal(key({ ...TMUX, KITTY_WINDOW_ID: "1" }, HOST), "kitty:77:500:1");
  assert.equal(key(TMUX, HOST), null);
  const wezterm = { KITTY_WINDOW_ID: "9", WEZTERM_PANE: "0", TERM_PROGRAM: "WezTerm" };
  assert.equal(key(wezterm, HOST), "wezterm:77:500:0");
});
