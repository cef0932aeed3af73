/** Variables of a hook's environment that may name its pane. A claim, never proof; no secrets. */

export const PANE_VARIABLES: readonly string[] = [
  "TMUX",
  "TMUX_PANE",
  "ZELLIJ",
  "ZELLIJ_SESSION_NAME",
  "ZELLIJ_PANE_ID",
  "KITTY_WINDOW_ID",
  "WEZTERM_PANE",
  "TERM_PROGRAM",
  "TERM_SESSION_ID",
  "ITERM_SESSION_ID",
  "SSH_TTY",
  "MYTTY_ORIGIN",
  "HOSTNAME",
];
