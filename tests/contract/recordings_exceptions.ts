/** Where the shown state may differ from the truth of a recording, and why. */

export type Exception = {
  readonly scenario: RegExp;
  /** The hook that tells the change, and the true state after it. */
  readonly hooks: string;
  readonly state: string;
  readonly accept: readonly string[];
  readonly reason: string;
};

export const EXCEPTIONS: readonly Exception[] = [
  {
    scenario: /^claude-code clear$/,
    hooks: "Stop",
    state: "succeeded",
    accept: ["idle"],
    reason: "/clear ends the session 0.2 s before the new one begins; in between the pane is idle",
  },
  {
    scenario: /^codex question-default-mode$/,
    hooks: "UserPromptSubmit",
    state: "running",
    accept: ["waiting-input"],
    reason: "outside Plan mode Codex refuses the question by itself; no hook says so before Stop",
  },
];
