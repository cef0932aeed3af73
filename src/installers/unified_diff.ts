/** Two texts -> a unified diff, for people to read before anything is written. Pure. */

const CONTEXT = 3;

type Line = { readonly sign: " " | "-" | "+"; readonly text: string };

export interface DiffNames {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Empty when the texts are equal. */
export function unifiedDiff({ path, before, after }: DiffNames): string {
  if (before === after) return "";
  const lines = diffLines(splitLines(before), splitLines(after));
  const hunks = hunksOf(lines);
  const from = before === null ? "/dev/null" : path;
  const to = after === null ? "/dev/null" : path;
  return [`--- ${from}`, `+++ ${to}`, ...hunks, ""].join("\n");
}

function splitLines(text: string | null): string[] {
  if (text === null || text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  else lines[lines.length - 1] += "\n\\ No newline at end of file";
  return lines;
}

/** Common beginning and end are cut off first: what remains is small for our edits. */
function diffLines(a: readonly string[], b: readonly string[]): Line[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (
    end < a.length - start && end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  ) end++;
  const keep = (text: string): Line => ({ sign: " ", text });
  return [
    ...a.slice(0, start).map(keep),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(keep),
  ];
}

/** Longest common subsequence; past a size that a person would read, everything is replaced. */
function middle(a: readonly string[], b: readonly string[]): Line[] {
  if (a.length * b.length > 4_000_000) return replaced(a, b);
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * width + j] = a[i] === b[j]
        ? table[(i + 1) * width + j + 1]! + 1
        : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ sign: " ", text: a[i++]! });
      j++;
    } else if (table[(i + 1) * width + j]! >= table[i * width + j + 1]!) {
      lines.push({ sign: "-", text: a[i++]! });
    } else lines.push({ sign: "+", text: b[j++]! });
  }
  return [...lines, ...replaced(a.slice(i), b.slice(j))];
}

function replaced(a: readonly string[], b: readonly string[]): Line[] {
  return [
    ...a.map((text): Line => ({ sign: "-", text })),
    ...b.map((text): Line => ({ sign: "+", text })),
  ];
}

function hunksOf(lines: readonly Line[]): string[] {
  const changed = lines.flatMap(({ sign }, index) => sign === " " ? [] : [index]);
  const out: string[] = [];
  for (let at = 0; at < changed.length;) {
    let last = at;
    while (last + 1 < changed.length && changed[last + 1]! - changed[last]! <= 2 * CONTEXT) last++;
    const from = Math.max(0, changed[at]! - CONTEXT);
    out.push(...hunk(lines, from, Math.min(lines.length, changed[last]! + CONTEXT + 1)));
    at = last + 1;
  }
  return out;
}

function hunk(lines: readonly Line[], from: number, to: number): string[] {
  const count = (part: readonly Line[], other: "-" | "+") =>
    part.filter(({ sign }) => sign !== other).length;
  const body = lines.slice(from, to);
  const range = (other: "-" | "+") => {
    const size = count(body, other);
    const start = count(lines.slice(0, from), other) + (size === 0 ? 0 : 1);
    return `${start},${size}`;
  };
  return [`@@ -${range("+")} +${range("-")} @@`, ...body.map(({ sign, text }) => sign + text)];
}
