/** Random JSON, JSONC and TOML texts with random layout, for the property tests. */

import fc from "fast-check";

const KEYS = ['"hooks"', '"a"', '"\\u0061"', '"é"', '"__proto__"', '""', '"b/c"', '"x\\/y"'];
const SCALARS = [
  "1",
  "-0.5e3",
  "true",
  "null",
  '"s"',
  '"2>&1 && x"',
  '"https://h/p"',
  '",]"',
  '"/* no */"',
  '"ü\\n\\/"',
  '"{[\\"]}"',
  "12345678901234567890",
];

function trivia(jsonc: boolean, eol: string): fc.Arbitrary<string> {
  const blank = fc.constantFrom(
    "",
    "",
    " ",
    "  ",
    "\t",
    eol,
    `${eol}  `,
    `${eol}${eol}\t`,
    `${eol}    `,
  );
  if (!jsonc) return blank;
  const comment = fc.constantFrom(
    "/* c */",
    "/**/",
    `// x,]}"${eol}`,
    `/* a${eol} b */`,
    `//${eol}`,
  );
  return fc.oneof(
    { weight: 6, arbitrary: blank },
    { weight: 1, arbitrary: fc.tuple(blank, comment, blank).map((parts) => parts.join("")) },
  );
}

/** A consistent layout, as people and formatters write it, or random white space everywhere. */
export function jsonText(jsonc: boolean): fc.Arbitrary<string> {
  const eols = fc.constantFrom("\n", "\r\n", "\n", "\r");
  return eols.chain((eol) => {
    const gap = trivia(jsonc, eol);
    const bag = (open: string, items: fc.Arbitrary<string>, close: string) =>
      fc.tuple(fc.array(fc.tuple(gap, items, gap), { maxLength: 4 }), gap, fc.boolean()).map(
        ([parts, inner, comma]) => {
          const body = parts.map(([before, item, after]) => before + item + after).join(",");
          const trailing = jsonc && comma && parts.length > 0 ? "," : "";
          return open + body + trailing + inner + close;
        },
      );
    const pair = (value: fc.Arbitrary<string>, keys = fc.constantFrom(...KEYS)) =>
      fc.tuple(keys, gap, gap, value).map(([key, before, after, item]) =>
        `${key}${before}:${after}${item}`
      );
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constantFrom(...SCALARS),
        bag("[", tie("value"), "]"),
        bag("{", pair(tie("value")), "}"),
      ),
    }));
    const lists = pair(bag("[", value, "]"), fc.constantFrom('"Stop"', '"Start"', '"Other"'));
    const hooks = pair(bag("{", lists, "}"), fc.constant('"hooks"'));
    const other = pair(value, fc.constantFrom(...KEYS.slice(1)));
    const root = bag("{", fc.oneof(other, hooks), "}");
    return fc.tuple(fc.constantFrom("", "", "\uFEFF"), gap, root, gap).map((parts) =>
      parts.join("")
    );
  });
}

/** Any JSON value, written with an indentation that `JSON.stringify` knows. */
export function styledJsonText(): fc.Arbitrary<string> {
  const handler = fc.record({ type: fc.constant("command"), command: fc.string() });
  const group = fc.record({ matcher: fc.string(), hooks: fc.array(handler, { maxLength: 2 }) }, {
    requiredKeys: ["hooks"],
  });
  const events = fc.dictionary(fc.constantFrom("Stop", "Start", "Other"), fc.array(group));
  const root = fc.record({
    env: fc.dictionary(fc.string(), fc.string()),
    hooks: events,
    other: fc.jsonValue(),
  }, { requiredKeys: [] });
  const indent = fc.constantFrom<string | number>(2, 4, "\t", 0, 1);
  const end = fc.constantFrom("\n", "");
  const eol = fc.constantFrom("\n", "\r\n");
  return fc.tuple(root, indent, end, eol).map(([value, space, tail, line]) =>
    (JSON.stringify(value, null, space) + tail).replaceAll("\n", line)
  );
}

const TOML_VALUES = [
  "1",
  '"s # no"',
  "'lit'",
  "true",
  "1979-05-27 07:32:00",
  "[1, 2]",
  "[\n  1, # one\n  2,\n]",
  '"""\n[[hooks.Stop]]\nx = """',
  "{ a = 1, b.c = 'x' }",
  "{}",
  "[]",
  "0xff",
  "-inf",
  "9007199254740993",
];

/** TOML texts with unique keys; a few are still invalid, which the reader must find out. */
export function tomlText(): fc.Arbitrary<string> {
  const comment = fc.constantFrom("", "", " # note", "\t# [x]");
  const indent = fc.constantFrom("", "", "  ", "\t");
  const line = (key: string) =>
    fc.tuple(indent, fc.constantFrom(" = ", "="), fc.constantFrom(...TOML_VALUES), comment).map(
      ([lead, equals, value, note]) => `${lead}${key}${equals}${value}${note}`,
    );
  const filler = fc.constantFrom("", "", "# alone", "   ");
  const body = (prefix: string) =>
    fc.uniqueArray(fc.constantFrom("a", "b", '"c d"', "e.f", "e.g"), { maxLength: 3 }).chain((
      keys,
    ) => fc.tuple(...keys.map((key) => fc.tuple(filler, line(prefix + key))))).map((lines) =>
      lines.flat()
    );
  const header = fc.constantFrom(
    "[features]",
    "[hooks]",
    "[[hooks.Stop]]",
    "[[hooks.Stop]]",
    "[[hooks.Stop.hooks]]",
    "[[hooks.Other]]",
    '[hooks.state."k:0"]',
    "[features.deep]",
    "[[list]]",
    "[ spaced . name ]",
  );
  const section = fc.tuple(comment, filler, header, body("")).map((
    [note, above, head, lines],
  ) => [above, head + note, ...lines]);
  const root = fc.oneof(
    body(""),
    body("features."),
    line("features").map((text) => [text]),
    fc.constant(["hooks = { Stop = [ { a = 1 } ] }"]),
    fc.constant(["hooks.Stop = []", "features.hooks = false"]),
  );
  const end = fc.constantFrom("\n", "", "\n\n");
  return fc.tuple(
    fc.constantFrom("", "\uFEFF"),
    root,
    fc.array(section, { maxLength: 5 }),
    end,
    fc.constantFrom("\n", "\r\n"),
  ).map(([bom, top, sections, tail, eol]) => {
    const text = [...top, ...sections.flat()].join("\n") + tail;
    return bom + text.replace(/\r?\n/g, eol);
  });
}
