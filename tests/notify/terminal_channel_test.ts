/** The terminal channel against real terminals: what bytes arrive, and what a stopped one does. */

import assert from "node:assert/strict";
import { TerminalChannel } from "../../src/notify/terminal.ts";
import { withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { delivery, notice, notifyConfig, openPty, TestTmux } from "../helpers/notify.ts";

const channel = new TerminalChannel();

function config(style: string, more: Record<string, unknown> = {}) {
  return notifyConfig({ channels: { terminal: { enabled: true, style, ...more } } });
}

const WORDS = { id: "id-1", title: "Codex needs approval", body: "rm; ls" };

Deno.test("each style arrives as its exact bytes", async () => {
  const pty = await openPty();
  try {
    const told: [string, Record<string, unknown>, string][] = [
      ["osc9", {}, "\x1b]9;Codex needs approval: rm; ls\x07"],
      ["osc777", {}, "\x1b]777;notify;Codex needs approval;rm; ls\x07"],
      [
        "osc99",
        {},
        "\x1b]99;i=id-1:d=0:p=title;Codex needs approval\x1b\\" +
        "\x1b]99;i=id-1:d=1:p=body;rm; ls\x1b\\",
      ],
      ["bell", {}, "\x07"],
      ["auto", { bell: true }, "\x1b]9;Codex needs approval: rm; ls\x07\x07"],
    ];
    let expected = "";
    for (const [style, more, bytes] of told) {
      const one = delivery({
        notice: notice(WORDS, { tty: pty.tty }),
        config: config(style, more),
      });
      assert.equal(await channel.deliver(one), null);
      expected += bytes;
      await eventually(() => pty.output() === expected);
    }
  } finally {
    await pty.close();
  }
});

Deno.test("the terminal a pane is in decides, where it is known", async () => {
  const pty = await openPty();
  try {
    const place = { tty: pty.tty, multiplexer: "kitty:1:2:3" };
    await channel.deliver(delivery({ notice: notice(WORDS, place), config: config("auto") }));
    await eventually(() => pty.output().startsWith("\x1b]99;"));
  } finally {
    await pty.close();
  }
});

Deno.test("a pane without a terminal, a file, a vanished terminal", async () => {
  await withFolder(async (folder) => {
    const to = (tty: string | null) =>
      channel.deliver(delivery({ notice: notice({}, { tty }), config: config("osc9") }));
    assert.equal(await to(null), "no terminal is known for the pane");
    Deno.writeTextFileSync(`${folder}/file`, "kept");
    await assert.rejects(to(`${folder}/file`), /is no terminal/);
    assert.equal(Deno.readTextFileSync(`${folder}/file`), "kept");
    await assert.rejects(to("/dev/pts/../../etc/passwd"), /is no terminal/);
    await assert.rejects(to("/dev/pts/99999"));
  });
});

Deno.test("a terminal that nobody reads is an error, not a hang", async () => {
  const pty = await openPty({ reads: false });
  try {
    const one = delivery({
      notice: notice({ body: "x".repeat(400) }, { tty: pty.tty }),
      config: config("osc9"),
    });
    const began = performance.now();
    await assert.rejects(async () => {
      for (let at = 0; at < 2_000; at++) await channel.deliver(one);
    });
    assert.ok(performance.now() - began < 5_000);
  } finally {
    await pty.close();
  }
});

Deno.test("in tmux it reaches the terminal around it, once tmux lets it through", async () => {
  await withFolder(async (folder) => {
    const tmux = new TestTmux(folder);
    try {
      await tmux.run("new-session", "-d", "-s", "s", "-x", "80", "-y", "24", "sleep 60");
      const command = ["tmux", "-u", "-S", tmux.socket, "attach", "-t", "s"];
      const outer = await openPty({ command, env: { TMUX: "", TERM: "xterm-256color" } });
      try {
        await eventually(async () => await tmux.run("list-clients") !== "");
        const tty = await tmux.run("display-message", "-p", "-t", "%0", "#{pane_tty}");
        const place = { tty, multiplexer: await tmux.paneKey() };
        const one = delivery({ notice: notice(WORDS, place), config: config("osc9") });
        await tmux.run("set-option", "-g", "allow-passthrough", "off");
        assert.match(await channel.deliver(one) ?? "", /allow-passthrough on/);
        await tmux.run("set-option", "-g", "allow-passthrough", "on");
        assert.equal(await channel.deliver(one), null);
        await eventually(() => outer.output().includes("\x1b]9;Codex needs approval: rm; ls\x07"));
      } finally {
        await outer.close();
      }
    } finally {
      await tmux.end();
    }
  });
});
