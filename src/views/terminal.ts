/** What may be written to the person's terminal: its width, and whether colours are wanted. */

export type Screen = { readonly width: number; readonly colour: boolean };

/** Below this there is room for short words only. */
export const NARROW = 60;

/** A pipe gets no colours and the width of a wide terminal. */
export function terminal(): Screen {
  const isTerminal = Deno.stdout.isTerminal();
  const colour = isTerminal && !Deno.env.get("NO_COLOR") && Deno.env.get("TERM") !== "dumb";
  return { width: isTerminal ? consoleWidth() : 160, colour };
}

function consoleWidth(): number {
  try {
    return Math.max(20, Deno.consoleSize().columns);
  } catch {
    return 80;
  }
}
