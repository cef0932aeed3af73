/**
 * `mytty status-line`: one short line for tmux, starship or a shell prompt. Called every second, so
 * it loads nothing but this: no flag library, no HTTP client, one request, a deadline.
 */

import { EXIT } from "../core/exit_code.ts";
import { readEnvironment } from "../socket/environment.ts";
import { socketsOf } from "../socket/paths.ts";

const DEADLINE_MS = 300;

const HELP = `Usage: mytty status-line [--tmux | --json]

One short line: ◆ need you, ✖ went wrong, ● work, ✔ are done. Empty when there is nothing to say
or no server (exit status 3).

Options:
  --tmux  with tmux colours
  --json  the numbers as one JSON document

Examples:
  set -g status-right '#(mytty status-line --tmux)'     (tmux)
  [custom.mytty]                                        (starship)
  command = "mytty status-line"
  when = true
  RPROMPT='$(mytty status-line)'                        (zsh, with PROMPT_SUBST)
`;

type StatusLine = { readonly text: string };

const COLOURS: Readonly<Record<string, string>> = {
  "◆": "yellow",
  "✖": "red",
  "●": "blue",
  "✔": "green",
};

export async function run(args: readonly string[]): Promise<number> {
  const [flag] = args;
  if (flag === "--help" || flag === "-h") return print(HELP);
  if (args.length > 1 || (flag !== undefined && flag !== "--tmux" && flag !== "--json")) {
    const text = `mytty: status-line takes --tmux or --json, not "${args.at(-1)}"; see --help\n`;
    Deno.stderr.writeSync(new TextEncoder().encode(text));
    return EXIT.usage;
  }
  const line = await ask(socketsOf(readEnvironment()).controlSocket);
  // A prompt or a status bar must stay quiet about a server that is not there; a read that one
  // which hangs never answers would keep the process alive.
  if (line === null) Deno.exit(EXIT.notRunning);
  if (flag === "--json") return print(`${JSON.stringify(line)}\n`);
  return print(`${flag === "--tmux" ? coloured(line.text) : line.text}\n`);
}

/** Null when no server answers in time. */
async function ask(socket: string): Promise<StatusLine | null> {
  const late = new Promise<null>((resolve) =>
    Deno.unrefTimer(setTimeout(() => resolve(null), DEADLINE_MS))
  );
  return await Promise.race([request(socket).catch(() => null), late]);
}

async function request(path: string): Promise<StatusLine> {
  using connection = await Deno.connect({ transport: "unix", path });
  // HTTP/1.0: the answer ends with the connection, and its body is not cut into chunks.
  const head = "GET /v1/status-line HTTP/1.0\r\nhost: mytty\r\nconnection: close\r\n\r\n";
  await connection.write(new TextEncoder().encode(head));
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(4096);
  let text = "";
  for (;;) {
    const length = await connection.read(buffer);
    if (length === null) break;
    text += decoder.decode(buffer.subarray(0, length), { stream: true });
  }
  return JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as StatusLine;
}

function coloured(text: string): string {
  return text.split(" ").map((part) => {
    const colour = COLOURS[part[0] ?? ""];
    return colour === undefined ? part : `#[fg=${colour}]${part}#[fg=default]`;
  }).join(" ");
}

function print(text: string): number {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
  return EXIT.done;
}
