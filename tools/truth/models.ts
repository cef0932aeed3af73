/**
 * The published rules of the two programs that mytty learns from, as models: written from what
 * their fact sheets say, not from their code. Where a sheet is silent the model is kind to them.
 *
 * Mytty: hooks of five agents to event kinds, its transition table (an end while waiting is
 * dropped, a second request is ignored), the ESC poller for Claude Code, transcripts of Claude Code
 * and Codex only where its hooks are not installed (they are, in these recordings). Agents that it
 * does not know show nothing.
 * Muxy: event names to working, waiting or idle; the process's exit ends the session.
 */

import { type JsonObject, own, stringAt } from "../../src/core/json.ts";
import type { Happening, Recording, TruthEntry } from "./recordings.ts";
import type { Player } from "./run.ts";
import type { Fits } from "./score.ts";

type Hook = Happening & { what: "hook" };

const QUESTION_TOOLS = new Set(["AskUserQuestion", "request_user_input", "question"]);

/** Kind by agent and hook; a hook that is not here is not installed or ignored. */
const MYTTY_HOOKS: Readonly<Record<string, (hook: Hook) => string | null>> = {
  "claude-code": ({ event, payload }) => {
    if (event === "Notification") {
      return MYTTY_NOTICES[stringAt(payload, "notification_type") ?? ""] ?? null;
    }
    if (event === "PermissionRequest") return requestKind(payload);
    if (event === "Stop" && hasBackground(payload)) return "running";
    return MYTTY_CLAUDE[event] ?? null;
  },
  codex: ({ event, payload }) =>
    event === "PermissionRequest" ? requestKind(payload) : MYTTY_CODEX[event] ?? null,
  opencode: ({ event }) => MYTTY_OPENCODE[event] ?? null,
};

const MYTTY_NOTICES: Readonly<Record<string, string>> = {
  permission_prompt: "waiting-approval",
  agent_needs_input: "waiting-input",
  elicitation_dialog: "waiting-input",
};

const MYTTY_CLAUDE: Readonly<Record<string, string>> = {
  SessionStart: "idle",
  SessionEnd: "disconnected",
  UserPromptSubmit: "started",
  PostToolBatch: "running",
  Stop: "succeeded",
  StopFailure: "failed",
};

const MYTTY_CODEX: Readonly<Record<string, string>> = {
  SessionStart: "idle",
  UserPromptSubmit: "started",
  PostToolUse: "running",
  Stop: "succeeded",
};

const MYTTY_OPENCODE: Readonly<Record<string, string>> = {
  "chat.message": "started",
  "permission.asked": "waiting-approval",
  "permission.replied": "running",
  "question.asked": "waiting-input",
  "session.idle": "succeeded",
  "session.error": "failed",
};

function requestKind(payload: JsonObject): string {
  const isQuestion = QUESTION_TOOLS.has(stringAt(payload, "tool_name") ?? "");
  return isQuestion ? "waiting-input" : "waiting-approval";
}

function hasBackground(payload: JsonObject): boolean {
  const tasks = own(payload, "background_tasks");
  return Array.isArray(tasks) &&
    tasks.some((task) =>
      typeof task === "object" && task !== null && !Array.isArray(task) &&
      (task.type === "subagent" || task.type === "workflow") && task.status !== "completed"
    );
}

/** Runs by key; the pane shows the most urgent live one, else the latest. */
export class MyttyPlayer implements Player {
  readonly #agent: string;
  readonly #panes = new Map<string, Map<string, { state: string; at: number }>>();

  constructor({ record }: Recording) {
    this.#agent = record.id;
  }

  advance(ms: number, happenings: readonly Happening[]): void {
    for (const happening of happenings) {
      if (happening.what === "hook") this.#hook(happening, ms);
      if (happening.what === "line") this.#escape(happening, ms);
    }
  }

  shown(pane: string): readonly string[] {
    const runs = [...this.#panes.get(pane)?.values() ?? []];
    const live = runs.filter(({ state }) => isLive(state))
      .toSorted((a, b) => rank(b.state) - rank(a.state) || b.at - a.at);
    const latest = runs.toSorted((a, b) => b.at - a.at)[0];
    return [(live[0] ?? latest)?.state ?? "absent"];
  }

  #hook(hook: Hook, ms: number): void {
    const kind = MYTTY_HOOKS[this.#agent]?.(hook) ?? null;
    if (kind === null) return;
    const { payload } = hook;
    const key = stringAt(payload, "prompt_id", "turn_id", "messageID", "session_id", "sessionID") ??
      "";
    this.#apply(hook.pane, { key, kind, ms });
    if (this.#agent === "claude-code" && kind === "started") this.#supersede(hook.pane, key, ms);
  }

  #apply(pane: string, { key, kind, ms }: { key: string; kind: string; ms: number }): void {
    const runs = this.#panes.get(pane) ?? new Map();
    this.#panes.set(pane, runs);
    const before = runs.get(key)?.state ?? "unknown";
    const after = step(before, kind);
    if (after !== null) runs.set(key, { state: after, at: ms });
  }

  #supersede(pane: string, key: string, ms: number): void {
    for (const [other, run] of this.#panes.get(pane) ?? []) {
      if (other !== key && isLive(run.state)) this.#apply(pane, { key: other, kind: "idle", ms });
    }
  }

  /** The ESC poller: a user row with an interrupted message's id, on its prompt's run. */
  #escape({ line, pane }: Happening & { what: "line" }, ms: number): void {
    if (this.#agent !== "claude-code" || line.interruptedMessageId === undefined) return;
    this.#apply(pane, { key: stringAt(line, "promptId") ?? "", kind: "idle", ms });
  }
}

function step(from: string, kind: string): string | null {
  if (kind === "disconnected") return from === "disconnected" ? null : kind;
  if (kind === "idle") return kind;
  if (from === "unknown" || from === "idle") {
    return kind === "started" || kind === "running" ? "running" : null;
  }
  if (from.startsWith("waiting")) return kind === "running" ? kind : null;
  return from === "running" && kind !== "started" && kind !== "running" ? kind : null;
}

function isLive(state: string): boolean {
  return state === "running" || state.startsWith("waiting");
}

function rank(state: string): number {
  return ["running", "waiting-input", "waiting-approval"].indexOf(state);
}

/** An idle pane stands for every state in which nothing is going on. */
export const MYTTY_FITS: Fits = (shown, truth) =>
  words(truth).some((word) =>
    shown.includes(word) ||
    (word === "ended" && shown.some((each) => !isLive(each))) ||
    (word === "absent" && shown.includes("idle"))
  );

const MUXY_PHASES: Readonly<Record<string, string>> = {
  UserPromptSubmit: "working",
  userPromptSubmitted: "working",
  beforeSubmitPrompt: "working",
  PreToolUse: "working",
  preToolUse: "working",
  PermissionRequest: "waiting",
  Stop: "idle",
  agentStop: "idle",
  StopFailure: "idle",
  SessionEnd: "idle",
  sessionEnd: "idle",
  // Its OpenCode plugin and Pi extension.
  "chat.message": "working",
  "permission.asked": "waiting",
  "permission.replied": "working",
  "question.asked": "waiting",
  "session.idle": "idle",
  "session.error": "idle",
  agent_start: "working",
  agent_settled: "idle",
  ui_prompt_start: "waiting",
  ui_prompt_end: "working",
  session_shutdown: "idle",
};

const MUXY_AGENTS = new Set(["claude-code", "codex", "opencode", "copilot", "droid", "pi"]);

const MUXY_QUIET = new Set([
  "auth_success",
  "elicitation_complete",
  "elicitation_response",
  "shell_completed",
  "shell_detached_completed",
  "agent_completed",
  "agent_idle",
]);

export class MuxyPlayer implements Player {
  readonly #isKnown: boolean;
  readonly #panes = new Map<string, string>();

  constructor({ record }: Recording) {
    this.#isKnown = MUXY_AGENTS.has(record.id);
  }

  advance(_ms: number, happenings: readonly Happening[]): void {
    if (!this.#isKnown) return;
    for (const happening of happenings) {
      if (happening.what === "hook") {
        const phase = muxyPhase(happening);
        if (phase !== null) this.#panes.set(happening.pane, phase);
      }
      if (happening.what === "process" && !happening.isAlive) {
        this.#panes.set(happening.pane, "idle");
      }
    }
  }

  shown(pane: string): readonly string[] {
    const phase = this.#panes.get(pane) ?? "idle";
    if (phase === "working") return ["running"];
    return phase === "waiting" ? ["waiting-approval", "waiting-input"] : ["idle"];
  }
}

function muxyPhase({ event, payload }: Hook): string | null {
  if (event === "Notification" || event === "notification") {
    const type = stringAt(payload, "notification_type", "notificationType", "type") ?? "";
    if (MUXY_QUIET.has(type)) return null;
    return type === "task_complete" || type === "agent_error" ? "idle" : "waiting";
  }
  if (event === "errorOccurred") return payload.recoverable === true ? null : "idle";
  return MUXY_PHASES[event] ?? null;
}

/** Three phases only: idle stands for every state in which nothing is going on. */
export const MUXY_FITS: Fits = (shown, truth) =>
  words(truth).some((word) => shown.includes(word) || (shown.includes("idle") && !isLive(word)));

function words({ state, ambiguous = [] }: TruthEntry): readonly string[] {
  return [state, ...ambiguous];
}
