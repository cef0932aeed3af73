/** What is wrong with a configuration, as sentences that name the key. Pure. */

import type { z } from "zod";
import { nearestWord } from "./nearest_word.ts";

type Issue = z.core.$ZodIssue;

/** `schema` is the published form: it says which keys there are. */
export function issueSentences(issue: Issue, value: unknown, schema: unknown): string[] {
  const where = issue.path.join(".");
  const name = where === "" ? "the file" : where;
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => {
        const whole = where === "" ? key : `${where}.${key}`;
        return `${whole}: unknown key${didYouMean(key, keysAt(schema, issue.path))}`;
      });
    case "invalid_value": {
      const known = issue.values.map(String);
      const given = valueAt(value, issue.path);
      const guess = typeof given === "string" ? didYouMean(given, known) : "";
      return [`${name}: ${JSON.stringify(given)} is none of ${known.join(", ")}${guess}`];
    }
    case "invalid_type":
      if (where !== "" && valueAt(value, issue.path) === undefined) return [`${where} is missing`];
  }
  return [`${name}: ${messageOf(issue)}`];
}

/** Empty where nothing is near: a wrong guess is worse than none. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearestWord(word, known);
  return near === undefined ? "" : `, did you mean "${near}"?`;
}

/** Of a union, what the alternative of the given type says. */
function messageOf(issue: Issue): string {
  if (issue.code !== "invalid_union") return issue.message;
  const inner = issue.errors.map((issues) => issues[0]).find((one) =>
    one !== undefined && one.code !== "invalid_type"
  );
  return inner?.message ?? 'takes a time like "10s", or seconds';
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (node, part) => (node as Record<PropertyKey, unknown> | undefined)?.[part],
    value,
  );
}

function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  type Node = { properties?: Record<string, Node> };
  let node = schema as Node | undefined;
  for (const part of path) node = node?.properties?.[String(part)];
  return Object.keys(node?.properties ?? {});
}
