/**
 * `deno task truth [--json] [--agent A]`: how right the shown state is over all recorded runs, and
 * beside it what hooks alone, and the published rules of Mytty and of Muxy, would show.
 *
 * Everything runs through the real decoders, reducer and estimator on a simulated clock. Exits 1
 * when a transition with evidence is shown late, or a "needs you" is false or missed.
 */

import { parseArgs } from "node:util";
import { AGENTS, readRecording, type Recording, scenarioNames } from "./truth/recordings.ts";
import { MUXY_FITS, MuxyPlayer, MYTTY_FITS, MyttyPlayer } from "./truth/models.ts";
import { OurPlayer, type Player } from "./truth/run.ts";
import { addScores, FITS, type Fits, play, type Score } from "./truth/score.ts";

type Contender = {
  readonly name: string;
  readonly player: (recording: Recording) => Player;
  readonly fits: Fits;
};

const CONTENDERS: readonly Contender[] = [
  { name: "mytty", player: (each) => new OurPlayer(each, { hasEstimate: true }), fits: FITS },
  {
    name: "hooks alone",
    player: (each) => new OurPlayer(each, { hasEstimate: false }),
    fits: FITS,
  },
  { name: "Mytty's rules", player: (each) => new MyttyPlayer(each), fits: MYTTY_FITS },
  { name: "Muxy's rules", player: (each) => new MuxyPlayer(each), fits: MUXY_FITS },
];

export type Row = { readonly scenario: string; readonly scores: readonly Score[] };

export function truthRows(agents: readonly string[] = AGENTS): Row[] {
  return agents.flatMap((agent) =>
    scenarioNames(agent).map((scenario) => {
      const recording = readRecording(agent, scenario);
      const scores = CONTENDERS.map(({ player, fits }) => play(recording, player(recording), fits));
      return { scenario: recording.name, scores };
    })
  );
}

export function total(rows: readonly Row[]): Row {
  const scores = CONTENDERS.map((_contender, index) =>
    rows.map((row) => row.scores[index]!).reduce(addScores)
  );
  return { scenario: "all", scores };
}

function line({ scenario, scores }: Row): string {
  const cells = scores.map((score) => {
    const { falseAlarms, missedAlarms, blindAlarms, worstDelay } = score;
    const delay = `${(worstDelay / 1_000).toFixed(1)} s`.padStart(8);
    return `${share(score).padStart(7)} ${falseAlarms}/${missedAlarms}/${blindAlarms}${delay}`;
  });
  return `${scenario.padEnd(42)} ${cells.map((cell) => cell.padEnd(24)).join(" ")}`.trimEnd();
}

function share({ right, scored }: Score): string {
  return `${(100 * right / scored).toFixed(1)} %`;
}

function report(rows: readonly Row[]): string {
  const heads = CONTENDERS.map(({ name }) => name.padEnd(24)).join(" ");
  const all = total(rows);
  const ours = all.scores[0]!;
  return [
    "Share of time right, needs-you false/missed/without any evidence, worst delay after evidence",
    `${"".padEnd(42)} ${heads}`.trimEnd(),
    ...rows.map(line),
    line(all),
    `${ours.transitions - ours.late.length} of ${ours.transitions} transitions with evidence ` +
    "are shown within 1 s",
    ...rows.flatMap(({ scenario, scores }) =>
      scores[0]!.late.map((late) => `late: ${scenario} ${late}`)
    ),
  ].join("\n");
}

function jsonOf({ scenario, scores }: Row) {
  return {
    scenario,
    ...Object.fromEntries(CONTENDERS.map(({ name }, index) => [name, scores[index]])),
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: { json: { type: "boolean" }, agent: { type: "string", multiple: true } },
  });
  const rows = truthRows(values.agent ?? AGENTS);
  console.log(values.json ? JSON.stringify([...rows, total(rows)].map(jsonOf)) : report(rows));
  const ours = total(rows).scores[0]!;
  if (ours.late.length + ours.falseAlarms + ours.missedAlarms > 0) Deno.exit(1);
}
