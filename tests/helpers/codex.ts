/** Codex as npm installs it, and the files it keeps: stand-ins with the real one's shapes. */

import { zstdCompressSync } from "node:zlib";
import type { Stage } from "./panes.ts";

export type FakeCodex = {
  /** What a person types: a link to a node script that starts the native program below it. */
  readonly command: string;
  readonly native: string;
  readonly home: string;
};

export function installCodex(stage: Stage): FakeCodex {
  const native = stage.program("lib/vendor/x86_64-unknown-linux-musl/bin/codex");
  const launcher = stage.script(
    "lib/@openai/codex/bin/codex.js",
    `#!/usr/bin/env node
const { spawn } = require("child_process");
const child = spawn(${JSON.stringify(native)}, process.argv.slice(2), { stdio: "inherit" });
child.on("exit", (code) => process.exit(code ?? 1));
process.on("SIGINT", () => {});
`,
  );
  return { command: stage.link("bin/codex", launcher), native, home: stage.cwd(".codex") };
}

/** An id as Codex makes it: its first 48 bits are the time. */
export function threadID(at = Date.now()): string {
  const time = at.toString(16).padStart(12, "0");
  const rest = crypto.randomUUID().slice(15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest}`;
}

export type RolloutOptions = {
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly isCold?: boolean;
  /** Days after the id's own day: Codex names folders in local time. */
  readonly dayOffset?: number;
};

/** The rollout of a session, as it is at the first prompt; its path. */
export function writeRollout(
  home: string,
  session: { readonly id: string; readonly cwd: string },
  { meta = {}, isCold = false, dayOffset = 0 }: RolloutOptions = {},
): string {
  const { id, cwd } = session;
  const at = parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  const day = new Date(at + dayOffset * 86_400_000).toISOString().slice(0, 10);
  const folder = `${home}/sessions/${day.replaceAll("-", "/")}`;
  const time = new Date(at).toISOString();
  const head = {
    timestamp: time,
    ordinal: 0,
    type: "session_meta",
    payload: {
      session_id: id,
      id,
      timestamp: time,
      cwd,
      originator: "codex-tui",
      cli_version: "0.171.0",
      source: "vscode",
      thread_source: "user",
      base_instructions: "x".repeat(20_000),
      ...meta,
    },
  };
  const text = `${JSON.stringify(head)}\n{"type":"event_msg","payload":{"type":"task_started"}}\n`;
  Deno.mkdirSync(folder, { recursive: true });
  const path = `${folder}/rollout-${time.slice(0, 19).replaceAll(":", "-")}-${id}.jsonl`;
  if (!isCold) Deno.writeTextFileSync(path, text);
  else Deno.writeFileSync(`${path}.zst`, zstdCompressSync(new TextEncoder().encode(text)));
  return path;
}

/** What a terminal's Codex leaves when it opens a session, before any prompt. */
export function noteOpening(home: string, id: string): void {
  const folder = `${home}/tui-thread-reference-capabilities`;
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeTextFileSync(`${folder}/${id}`, "");
}
