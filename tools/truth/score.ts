/** How right a player is on one recording: share of time, delays, false and missed "needs you". */

import type { Happening, Recording, TruthEntry } from "./recordings.ts";
import type { Player } from "./run.ts";

const STEP_MS = 50;
/** The bar: shown within this long after the first evidence. */
export const BAR_MS = 1_000;

export type Score = {
  readonly scored: number;
  readonly right: number;
  readonly falseAlarms: number;
  readonly missedAlarms: number;
  /** False or missed ones that nothing recorded could have told. */
  readonly blindAlarms: number;
  readonly worstDelay: number;
  /** Transitions with evidence that were not shown within the bar. */
  readonly late: readonly string[];
  readonly transitions: number;
};

type Stretch = {
  readonly entry: TruthEntry;
  readonly from: number;
  readonly to: number;
  /** When anything recorded first proves it; null where nothing does. */
  readonly provenAt: number | null;
  /** The end of the turn before was told by nothing: when the session ends, it looks lost. */
  readonly isBlind: boolean;
};

/** `fits`: whether what is shown can stand for a true state, in the player's own words. */
export type Fits = (shown: readonly string[], truth: TruthEntry) => boolean;

export const FITS: Fits = (shown, { state, ambiguous = [] }) =>
  [state, ...ambiguous].some((word) => shown.includes(word));

export function play(recording: Recording, player: Player, fits: Fits = FITS): Score {
  const marks = Object.entries(recording.panes).map(([pane, truths]) => ({
    pane,
    stretches: stretchesOf(truths, recording.end),
    judge: newJudge(),
  }));
  const pending = [...recording.happenings];
  for (let ms = 0; ms <= recording.end; ms += STEP_MS) {
    const due: Happening[] = [];
    while (pending.length > 0 && pending[0]!.ms <= ms) due.push(pending.shift()!);
    player.advance(ms, due);
    for (const { pane, stretches, judge } of marks) {
      const stretch = stretches.find(({ from, to }) => ms >= from && ms < to);
      if (stretch !== undefined) judgeStep(judge, { ms, stretch, shown: player.shown(pane), fits });
    }
  }
  return marks.map(({ pane, stretches, judge }) => verdict(pane, stretches, judge))
    .reduce(addScores);
}

function stretchesOf(truths: readonly TruthEntry[], end: number): Stretch[] {
  return truths.map((entry, index) => {
    const next = truths[index + 1];
    const proofs = proofsOf(entry);
    const before = truths[index - 1];
    const isBlind = entry.state === "ended" && before !== undefined &&
      proofsOf(before).length === 0;
    return {
      isBlind,
      entry,
      from: entry.from,
      to: next === undefined ? end : next.unsureFrom ?? next.from,
      provenAt: proofs.length === 0 ? null : Math.max(entry.from, Math.min(...proofs)),
    };
  });
}

function proofsOf(entry: TruthEntry): number[] {
  const { revealedAt, transcriptAt, registryAt, fileAt, exitAt } = entry;
  return [revealedAt, transcriptAt, registryAt, fileAt, exitAt]
    .filter((at): at is number => typeof at === "number");
}

type Judge = {
  scored: number;
  right: number;
  readonly firstRight: Map<Stretch, number>;
  readonly alarmed: Set<Stretch>;
  alarmSince: number | null;
  falseAlarms: number;
  blindAlarms: number;
  isCounted: boolean;
};

function newJudge(): Judge {
  return {
    scored: 0,
    right: 0,
    firstRight: new Map(),
    alarmed: new Set(),
    alarmSince: null,
    falseAlarms: 0,
    blindAlarms: 0,
    isCounted: false,
  };
}

type Step = { ms: number; stretch: Stretch; shown: readonly string[]; fits: Fits };

function judgeStep(judge: Judge, { ms, stretch, shown, fits }: Step): void {
  judge.scored += STEP_MS;
  if (fits(shown, stretch.entry) || (stretch.isBlind && shown.includes("disconnected"))) {
    judge.right += STEP_MS;
    if (!judge.firstRight.has(stretch)) judge.firstRight.set(stretch, ms);
  }
  const isAlarm = shown.some(isWaitingWord);
  if (isAlarm && isWaitingWord(stretch.entry.state)) judge.alarmed.add(stretch);
  // An alarm is false while nobody is waited for, beyond the bar after the first sign of that.
  const isTrue = isWaitingWord(stretch.entry.state) ||
    (stretch.provenAt === null ? false : ms < stretch.provenAt);
  if (!isAlarm || isTrue) {
    [judge.alarmSince, judge.isCounted] = [null, false];
    return;
  }
  judge.alarmSince ??= ms;
  if (judge.isCounted || ms - judge.alarmSince <= BAR_MS) return;
  if (stretch.provenAt === null) judge.blindAlarms++;
  else judge.falseAlarms++;
  judge.isCounted = true;
}

function verdict(pane: string, stretches: readonly Stretch[], judge: Judge): Score {
  const late: string[] = [];
  let [worst, missed, blind] = [0, 0, judge.blindAlarms];
  for (const stretch of stretches) {
    const { entry, from, to, provenAt } = stretch;
    if (isWaitingWord(entry.state) && to - (provenAt ?? from) > BAR_MS) {
      const isMissed = !judge.alarmed.has(stretch);
      if (isMissed && provenAt === null) blind++;
      else if (isMissed) missed++;
    }
    if (provenAt === null) continue;
    const shownAt = judge.firstRight.get(stretch);
    const delay = (shownAt ?? to) - provenAt;
    if (shownAt === undefined && to - provenAt <= BAR_MS) continue;
    worst = Math.max(worst, delay);
    if (delay > BAR_MS || shownAt === undefined) {
      late.push(`${pane}@${from} ${entry.state} ${shownAt === undefined ? "never" : `+${delay}`}`);
    }
  }
  return {
    scored: judge.scored,
    right: judge.right,
    falseAlarms: judge.falseAlarms,
    missedAlarms: missed,
    blindAlarms: blind,
    worstDelay: worst,
    late,
    transitions: stretches.filter(({ provenAt }) => provenAt !== null).length,
  };
}

export function addScores(a: Score, b: Score): Score {
  return {
    scored: a.scored + b.scored,
    right: a.right + b.right,
    falseAlarms: a.falseAlarms + b.falseAlarms,
    missedAlarms: a.missedAlarms + b.missedAlarms,
    blindAlarms: a.blindAlarms + b.blindAlarms,
    worstDelay: Math.max(a.worstDelay, b.worstDelay),
    late: [...a.late, ...b.late],
    transitions: a.transitions + b.transitions,
  };
}

function isWaitingWord(word: string): boolean {
  return word === "waiting-input" || word === "waiting-approval";
}
