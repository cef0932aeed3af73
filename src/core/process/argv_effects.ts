/** What the words of a command line make of an agent's program. */

/**
 * `headless` = an agent without a person (one-shot, stdio), `shared` = a background process of many
 * sessions, `auxiliary` = no agent: it shows, sets or updates something and ends.
 */
export type ArgvEffect = "headless" | "shared" | "auxiliary";

export type ArgvEffects = Readonly<Record<string, ArgvEffect>>;

/** Every program answers these and ends, whatever else is said. */
const ASKS: ArgvEffects = { "--help": "auxiliary", "--version": "auxiliary" };

/** Effects of many words: lists, separated by blanks. */
export function effectsOf(words: Readonly<Partial<Record<ArgvEffect, string>>>): ArgvEffects {
  const pairs = Object.entries(words).flatMap(([effect, list]) =>
    wordsOf(list).map((word) => [word, effect as ArgvEffect] as const)
  );
  return Object.fromEntries(pairs);
}

export function wordsOf(list: string): readonly string[] {
  return list.split(" ");
}

export function argvEffects(
  args: readonly string[],
  { subcommands, flags, valueFlags = [] }: {
    readonly subcommands?: ArgvEffects;
    readonly flags?: ArgvEffects;
    readonly valueFlags?: readonly string[];
  },
): Set<ArgvEffect> {
  const effects = new Set<ArgvEffect>();
  let isFirstWord = true;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--") break;
    const isOption = word.startsWith("-");
    const tables = isOption ? [ASKS, flags] : isFirstWord ? [subcommands] : [];
    const key = isOption ? word.replace(/=.*$/s, "") : word;
    for (const table of tables) {
      if (table !== undefined && Object.hasOwn(table, key)) effects.add(table[key]!);
    }
    if (!isOption) isFirstWord = false;
    // Some take a value or none: another option is no value.
    if (valueFlags.includes(word) && args[at + 1]?.startsWith("-") !== true) at++;
  }
  return effects;
}
