/** `mytty focus`: jump to a pane, or to the one that needs you. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { needingPlaces } from "../core/view/next_place.ts";
import { surfaceIssue, surfacesNamed } from "../core/view/surface_word.ts";
import type { PlaceJson } from "../core/view/view_json.ts";
import { focusPane } from "../estimator/multiplexer_focus.ts";
import { bodyOf, client, CliError, defineCommand, writeJson, writeLine } from "./_command.ts";

type Options = { readonly next?: true; readonly json?: true };

export function command(): Command {
  return defineCommand({
    name: "focus",
    summary: "Jump to a pane, or to the one that needs you (tmux, kitty, WezTerm)",
    examples: ["mytty focus --next", "mytty focus build", "mytty focus 9e41b0"],
    build: (command) =>
      command
        .argument("[surface]", "surface id, its beginning, a label, or a tmux pane (%7)")
        .option("--next", "the pane that needs you most")
        .option("--json", "print one JSON document")
        .action(focus),
  });
}

async function focus(word: string | undefined, { next, json }: Options): Promise<void> {
  if ((word === undefined) === (next === undefined)) {
    throw new CliError(EXIT.usage, "focus takes a surface or --next; see --help");
  }
  const { surfaces } = bodyOf<{ surfaces: PlaceJson[] }>(await client().request("/v1/list"));
  const wanted = word === undefined ? needingPlaces(surfaces) : [named(surfaces, word)];
  if (wanted.length === 0) throw new CliError(EXIT.failed, "No pane needs you");
  let reason = "";
  for (const place of wanted) {
    const focused = await focusPane(place.multiplexer);
    if (focused.ok) {
      if (json) return writeJson({ surfaceID: place.surfaceID, multiplexer: place.multiplexer });
      return writeLine(`Shown ${place.label ?? place.surfaceID}`);
    }
    reason ||= `Cannot show "${place.label ?? place.surfaceID}"${on(place)}: ${focused.reason}`;
  }
  throw new CliError(EXIT.failed, reason);
}

function on({ tty }: PlaceJson): string {
  return tty === null ? "" : ` on ${tty}`;
}

function named(surfaces: readonly PlaceJson[], word: string): PlaceJson {
  const match = surfacesNamed(surfaces, word);
  const [only] = match.surfaces;
  if (only === undefined || match.surfaces.length > 1) {
    throw new CliError(EXIT.failed, surfaceIssue(match));
  }
  return only;
}
