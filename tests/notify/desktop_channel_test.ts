/**
 * The desktop against a real notification daemon (dunst) on a D-Bus session of its own: the whole
 * way from a hook's event to what the daemon was asked to show, and what is taken back.
 */

import assert from "node:assert/strict";
import type { NoticeRecord } from "../../src/core/notify/notice_record.ts";
import { desktopRun } from "../../src/notify/desktop.ts";
import { ControlClient } from "../../src/socket/client.ts";
import { envelope, exchange, withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { notice } from "../helpers/notify.ts";
import { programEnv, startServe } from "../helpers/program.ts";

const SESSION = `
Xvfb -displayfd 1 -screen 0 640x480x8 >"$D/display" 2>/dev/null & display=$!
until [ -s "$D/display" ]; do sleep 0.05; done
export DISPLAY=":$(cat "$D/display")"
dunst -print -conf "$D/dunstrc" >"$D/shown" 2>/dev/null & daemon=$!
owner='org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.Notifications'
until dbus-send --session --print-reply --dest=$owner | grep -q true; do sleep 0.05; done
printf %s "$DBUS_SESSION_BUS_ADDRESS" >"$D/bus"
"$@"
kill $display $daemon
`;

Deno.test("a request is shown by a real notification daemon, and closed when it is answered", async () => {
  await withFolder(async (folder) => {
    Deno.writeTextFileSync(`${folder}/dunstrc`, "[global]\n");
    Deno.writeTextFileSync(`${folder}/config.jsonc`, "{}");
    const env = programEnv(folder, { D: folder });
    const serve = await startServe(env, ["dbus-run-session", "--", "sh", "-c", SESSION, "sh"]);
    const control = new ControlClient(`${folder}/run/control.sock`);
    try {
      const pane = await openSurface(control, "api <b>&amp;");
      const runID = { rawValue: crypto.randomUUID() };
      const tell = (event: Record<string, unknown>) =>
        exchange(serve.eventSocket, envelope(pane, { runID, ...event }));
      await tell({ kind: "started" });
      const message = "\x1b]0;x\x07-rm <i>x</i> & y";
      await tell({ kind: "approval-requested", toolUseID: "t", toolName: "Bash", message });
      const shown = () => Deno.readTextFileSync(`${folder}/shown`);
      await eventually(() => shown().includes("script_count"));
      assert.match(shown(), /appname: 'mytty'/);
      assert.match(shown(), /summary: 'test-agent needs approval · api <b>&amp;'/);
      // The body is markup to the daemon: what looks like it is shown, not obeyed.
      assert.match(shown(), /body: 'Bash: \]0;x-rm &lt;i&gt;x&lt;\/i&gt; &amp; y'/);
      assert.equal(await displayed(folder), 1);
      await tell({ kind: "running", toolUseID: "t" });
      await eventually(async () => await displayed(folder) === 0);
      const { body } = await control.request("/v1/notifications");
      const [record] = (body as { notifications: NoticeRecord[] }).notifications;
      const desktop = record!.outcomes.find(({ channel }) => channel === "desktop");
      assert.equal(desktop!.outcome, "delivered");
    } finally {
      const { body } = await control.request("/v1/status");
      Deno.kill((body as { pid: number }).pid, "SIGTERM");
      await serve.end("SIGCONT");
    }
  });
});

async function openSurface(control: ControlClient, label: string) {
  const reply = await control.request("/v1/surfaces", { method: "POST", body: { label } });
  const { surfaceID, env } = reply.body as { surfaceID: string; env: Record<string, string> };
  return { surfaceID, capability: env.MYTTY_EVENT_CAPABILITY! };
}

async function displayed(folder: string): Promise<number> {
  const { stdout } = await new Deno.Command("dunstctl", {
    args: ["count", "displayed"],
    env: { DBUS_SESSION_BUS_ADDRESS: Deno.readTextFileSync(`${folder}/bus`) },
  }).output();
  return Number(new TextDecoder().decode(stdout).trim());
}

Deno.test("texts are arguments of their own, or stdin; none can be taken for an option", () => {
  const evil = { title: "-execute", body: '" & do shell script "id', kind: "failure" } as const;
  const send = desktopRun("notify-send", notice(evil)).args;
  assert.deepEqual(send.slice(send.indexOf("--")), [
    "--",
    "-execute",
    '" &amp; do shell script "id',
  ]);
  const terminal = desktopRun("terminal-notifier", notice(evil));
  assert.equal(terminal.args[terminal.args.indexOf("-title") + 1], " -execute");
  assert.equal(terminal.stdin, evil.body);
  assert.ok(!terminal.args.includes(evil.body));
  const script = desktopRun("osascript", notice(evil)).args;
  assert.deepEqual(script.slice(script.indexOf("--")), ["--", evil.title, evil.body]);
  assert.ok(script.slice(0, script.indexOf("--")).every((part) => !part.includes("do shell")));
});
