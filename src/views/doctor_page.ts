/** Pure: the doctor's one page: what works, what does not, and the next step for each. */

import { type Colour, displayWidth, fit, padded, paint } from "./paint.ts";
import { NARROW, type Screen } from "./terminal.ts";
import { labelled } from "./wrap.ts";

export type CheckState = "ok" | "note" | "warn" | "fail";

export type Check = {
  readonly group: string;
  readonly name: string;
  readonly state: CheckState;
  readonly detail: string;
  /** What to do about it; null when there is nothing to do. */
  readonly next: string | null;
};

const STYLE: Readonly<Record<CheckState, { readonly mark: string; readonly colour: Colour }>> = {
  ok: { mark: "✔", colour: "green" },
  note: { mark: "·", colour: "grey" },
  warn: { mark: "◆", colour: "yellow" },
  fail: { mark: "✖", colour: "red" },
};

export function doctorPage(checks: readonly Check[], screen: Screen): string {
  const width = Math.min(20, Math.max(...checks.map(({ name }) => displayWidth(name))));
  const lines: string[] = [];
  let group = "";
  for (const check of checks) {
    if (check.group !== group) {
      lines.push(...(group === "" ? [] : [""]), paint(check.group, "bold", screen));
    }
    group = check.group;
    lines.push(...checkLines(check, width, screen));
  }
  return `${[...lines, "", summary(checks)].join("\n")}\n`;
}

function checkLines({ name, state, detail, next }: Check, width: number, screen: Screen): string[] {
  const { mark, colour } = STYLE[state];
  const label = `  ${paint(mark, colour, screen)} ${padded(fit(name, width), width)}  `;
  const lines = labelled({ text: label, width: width + 6 }, detail, screen.width);
  if (next === null) return lines;
  const indent = " ".repeat(screen.width < NARROW ? 4 : width + 6);
  const step = labelled(
    { text: `${indent}→ `, width: indent.length + 2 },
    next,
    screen.width,
  );
  return [...lines, ...step];
}

function summary(checks: readonly Check[]): string {
  const count = (state: CheckState) => checks.filter((check) => check.state === state).length;
  const [failed, warned] = [count("fail"), count("warn")];
  if (failed === 0 && warned === 0) return "Everything works.";
  const parts = [
    failed === 0 ? "" : failed === 1 ? "1 thing does not work" : `${failed} things do not work`,
    warned === 0 ? "" : warned === 1 ? "1 needs a look" : `${warned} need a look`,
  ];
  return `${parts.filter((part) => part !== "").join(", ")}.`;
}
