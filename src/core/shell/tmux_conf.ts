/** Lines for tmux.conf: the status segment and the window marks. Sourced twice they do no more. */

export type TmuxConf = {
  /** The words that start mytty, quoted for a shell. */
  readonly program: string;
  /** The window option that the notifications set. */
  readonly option: string;
};

export function tmuxLines({ program, option }: TmuxConf): string {
  const segment = `#(${program} status-line --tmux)`;
  return [
    once("status-right", "*status-line --tmux*", ` ${segment}`),
    once("window-status-format", `*${option}*`, `#{${option}}`),
    once("window-status-current-format", `*${option}*`, `#{${option}}`),
    "# bind-key N run-shell 'mytty focus --next'",
    "",
  ].join("\n");
}

/** Appends to an option unless it has it. */
function once(option: string, pattern: string, text: string): string {
  const quoted = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("$", "\\$");
  return `if-shell -F '#{m:${pattern},#{${option}}}' '' { set-option -ag ${option} "${quoted}" }`;
}
