/** Marks and focus in a real tmux. */

import assert from "node:assert/strict";
import { isFocused } from "../../src/notify/focus.ts";
import { tmuxPaneOf } from "../../src/notify/tmux.ts";
import { TmuxChannel } from "../../src/notify/tmux_marks.ts";
import { Log, opened, uuid } from "../core/log.ts";
import { withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { delivery, notice, openPty, TestTmux } from "../helpers/notify.ts";

async function withTmux(task: (tmux: TestTmux) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const tmux = new TestTmux(folder);
    try {
      await tmux.run("new-session", "-d", "-s", "s", "-x", "80", "-y", "24", "sleep 60");
      await task(tmux);
    } finally {
      await tmux.end();
    }
  });
}

Deno.test("the window's mark is its most urgent open item, and goes with the last one", async () => {
  await withTmux(async (tmux) => {
    await tmux.run("split-window", "-d", "-t", "%0", "sleep 60");
    const channel = new TmuxChannel();
    const log = new Log();
    const panes = [uuid("pane 0"), uuid("pane 1")];
    for (const [at, pane] of panes.entries()) {
      log.tell(opened(pane, { multiplexer: await tmux.paneKey(`%${at}`) }), 0);
    }
    const mark = () => tmux.run("display-message", "-p", "-t", "%0", "#{@mytty}");
    async function refresh(at: number): Promise<void> {
      const place = { multiplexer: await tmux.paneKey(`%${at}`) };
      assert.equal(
        await channel.deliver(delivery({ notice: notice({}, place), state: log.state })),
        null,
      );
    }
    const run = (at: number) => ({
      surfaceID: panes[at]!,
      runID: uuid(`run ${at}`),
      sessionID: `S${at}`,
    });
    log.event("failed", 1, run(0));
    await refresh(0);
    assert.equal(await mark(), "✖");
    log.event("started", 2, run(1));
    log.event("approval-requested", 3, { ...run(1), toolUseID: "t" });
    await refresh(1);
    assert.equal(await mark(), "◆");
    log.event("running", 4, { ...run(1), settles: "all" });
    await refresh(1);
    assert.equal(await mark(), "✖");
    log.event("started", 5, run(0));
    await refresh(0);
    assert.equal(await mark(), "");
  });
});

Deno.test("a pane that is not in tmux has no window; a server that is gone is an error", async () => {
  const channel = new TmuxChannel();
  assert.equal(await channel.deliver(delivery()), "the pane is not in tmux");
  const place = { multiplexer: "tmux:%2Fnowhere%2Fsock:1:1:%250" };
  await assert.rejects(channel.deliver(delivery({ notice: notice({}, place) })), /list-panes/);
});

Deno.test("only a tmux pane's key is one", () => {
  assert.deepEqual(tmuxPaneOf("tmux:%2Ftmp%2Fa%3Ab:1:2:%2512"), {
    socket: "/tmp/a:b",
    pane: "%12",
  });
  for (const key of [null, "", "kitty:1:2:3", "tmux:a:1:2:%250", "tmux:%2Fa:1:2:x;kill-server"]) {
    assert.equal(tmuxPaneOf(key), null);
  }
});

Deno.test("tmux tells which pane the person looks at", async () => {
  await withTmux(async (tmux) => {
    await tmux.run("split-window", "-d", "-t", "%0", "sleep 60");
    await tmux.run("set-option", "-s", "focus-events", "on");
    const focus = async (pane: string) =>
      await isFocused(notice({}, { multiplexer: await tmux.paneKey(pane) }).place);
    assert.equal(await focus("%0"), false, "nobody is attached");
    const command = ["tmux", "-u", "-S", tmux.socket, "attach", "-t", "s"];
    const client = await openPty({ command, env: { TMUX: "", TERM: "xterm-256color" } });
    try {
      await eventually(async () => await tmux.run("list-clients") !== "");
      await client.type("\x1b[I");
      await eventually(() => focus("%0"));
      assert.equal(await focus("%1"), false, "another pane of the same window");
      await client.type("\x1b[O");
      await eventually(async () => !await focus("%0"));
    } finally {
      await client.close();
    }
  });
  const gone = { multiplexer: "tmux:%2Fnowhere%2Fsock:1:1:%250" };
  assert.equal(await isFocused(notice({}, gone).place), null);
  assert.equal(await isFocused(notice({}, { multiplexer: null }).place), null);
});
