/** Lines for tmux.conf: the status segment and the window marks. Sourced twice they do no more. */

export const BLOCK_BEGIN = "# mytty begin";
export const BLOCK_END = "# mytty end";

export type TmuxConf = {
  /** The words that start mytty, quoted for a shell. */
  readonly program: string;
  /** The window option that the notifications set. */
  readonly option: string;
};

export function tmuxBlock({ program, option }: TmuxConf): string {
  const segment = `#(${program} status-line --tmux)`;
  return [
    BLOCK_BEGIN,
    once("status-right", "*status-line --tmux*", ` ${segment}`),
    once("window-status-format", `*${option}*`, `#{${option}}`),
    once("window-status-current-format", `*${option}*`, `#{${option}}`),
    "# bind-key N run-shell 'mytty focus --next'",
    BLOCK_END,
    "",
  ].join("\n");
}

/** Appends to an option unless it has it. */
function once(option: string, pattern: string, text: string): string {
  const quoted = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("$", "\\$");
  return `if-shell -F '#{m:${pattern},#{${option}}}' '' { set-option -ag ${option} "${quoted}" }`;
}

/** `text` with exactly one current block at its end; without one when `block` is null. */
export function withBlock(text: string, block: string | null): string {
  const lines = text.split("\n");
  const kept: string[] = [];
  let isOurs = false;
  for (const line of lines) {
    if (line === BLOCK_BEGIN) isOurs = true;
    if (!isOurs) kept.push(line);
    if (line === BLOCK_END) isOurs = false;
  }
  // A block without its end is somebody's half edit: nothing after it is ours to drop.
  const rest = isOurs ? text : kept.join("\n");
  if (block === null) return rest;
  return rest === "" || rest.endsWith("\n") ? rest + block : `${rest}\n${block}`;
}
