/** `estimate --transcript` and `--stream`: a file's turns, a terminal's signals. */

import type { Reading } from "../core/estimate/reading.ts";
import { findProvider } from "../core/registry.ts";
import type { JsonObject } from "../core/json.ts";
import { TerminalSignals } from "../core/estimate/terminal_signals.ts";
import { RowSource } from "../estimator/row_source.ts";
import { Tail } from "../estimator/tail.ts";
import { EXIT } from "../core/exit_code.ts";
import { client, CliError, writeErr, writeJson } from "./_command.ts";
import { SignalTeller } from "./_signal_teller.ts";

/** Lines of so much of a file are in memory at once. */
const TURN_BYTES = 1024 * 1024;

/** Everything the file tells, one JSON line per fact. */
export function replayTranscript(path: string, provider: string | undefined): void {
  const record = provider === undefined ? undefined : findProvider(provider);
  const spec = record?.transcript;
  if (record === undefined) {
    throw new CliError(EXIT.usage, `--transcript needs --provider, one that mytty knows`);
  }
  if (spec === undefined) {
    throw new CliError(EXIT.failed, `No transcripts of ${record.displayName} are known`);
  }
  const absolute = path.startsWith("/") ? path : `${Deno.cwd()}/${path}`;
  checkReadable(absolute);
  const sessionID = spec.sessionOf(absolute) ?? absolute.split("/").at(-1)!.replace(/\.\w+$/, "");
  const read = spec.reader(sessionID);
  const source = spec.form === "sqlite"
    ? new RowSource(absolute, sessionID, spec.query!)
    : new Tail(absolute, { firstBytes: Number.MAX_SAFE_INTEGER, turnBytes: TURN_BYTES });
  let facts = 0;
  const tell = (lines: readonly JsonObject[]) => {
    for (const reading of lines.flatMap(read)) {
      facts++;
      writeJson(factJson(reading));
    }
  };
  for (let more = true; more;) {
    const part = source.read();
    more = part.hasMore;
    tell(part.lines);
  }
  tell(source.end());
  if (facts === 0) {
    const message = `Read "${path}": no line of it is a ${record.displayName} transcript`;
    throw new CliError(EXIT.failed, message);
  }
  const { damaged } = source;
  if (damaged > 0) {
    writeErr(
      `Read "${path}": skipped ${damaged} ${damaged === 1 ? "line" : "lines"} that cannot be read`,
    );
  }
}

function checkReadable(path: string): void {
  let isFolder: boolean;
  try {
    using file = Deno.openSync(path);
    isFolder = file.statSync().isDirectory;
  } catch (error) {
    throw new CliError(EXIT.failed, `Cannot read "${path}": ${String(error)}`);
  }
  if (isFolder) throw new CliError(EXIT.failed, `Cannot read "${path}": it is a folder`);
}

function factJson({ fact, at }: Reading) {
  return { at: at === null ? null : new Date(at).toISOString(), ...fact };
}

/**
 * What a program tells its terminal, from stdin (for `tmux pipe-pane`), one JSON line each. The exit
 * status: whether the server was told all that it was to be told.
 */
export async function followStream(surface: string | undefined): Promise<number> {
  const teller = surface === undefined ? null : new SignalTeller(surface, client(), writeErr);
  const signals = new TerminalSignals();
  const buffer = new Uint8Array(64 * 1024);
  for (;;) {
    const count = await Deno.stdin.read(buffer);
    if (count === null) break;
    const at = new Date().toISOString();
    for (const signal of signals.push(buffer.subarray(0, count))) {
      writeJson({ at, ...signal });
      teller?.tell(signal);
    }
  }
  await teller?.end();
  return teller?.status ?? EXIT.done;
}
