/** Why an event was placed where it was: stored with the entry, so that a person can ask. */

export type PlacementNote = {
  readonly rule: string;
  /** What stood against a firmer rule, or why there is no pane. */
  readonly why?: string;
};

/** Rules in a person's words. */
export const RULES: Readonly<Record<string, string>> = {
  "background-job": "an explicit background job belongs to no pane",
  "session": "the session was already here, and its process still is",
  "process": "the agent's process descends from this pane's",
  "capability": "it carried this pane's capability",
  "adopted": "its terminal had no surface yet and was given one",
  "open-transcript": "the pane's own process holds the session's transcript open",
  "resume-argument": "the pane was started to resume this session",
  "only-pane-in-folder": "the only free pane of this agent in the session's folder",
  "thread-time": "the only pane whose agent started just before the session was opened",
  "parent-session": "a session of this pane started it",
  "rebound": "the only pane of this agent in the folder took up another session",
  "unplaced": "no pane could be told",
};
