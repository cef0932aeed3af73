/**
 * A supported coding agent is one record in one file. Shared code never compares a provider id: it
 * asks the record.
 */

import type { HookFact, HookInput } from "./hook/hook_fact.ts";
import type { InstallSpec } from "./install/install_target.ts";
import type { JsonObject } from "./json.ts";
import type { SessionFiles } from "./estimate/session_files.ts";
import type { LiveStatusSpec, TranscriptSpec } from "./estimate/reading.ts";
import type { Signature } from "./process/signature.ts";

/** What a provider's hooks can tell; views show "cannot tell" instead of guessing the rest. */
export type Capabilities = {
  readonly start: boolean;
  readonly approvalRequest: boolean;
  /** Whether the answer to an approval is told before the tool has finished. */
  readonly approvalAnswer: boolean;
  readonly inputRequest: boolean;
  readonly interrupt: boolean;
  readonly success: boolean;
  readonly failure: boolean;
  readonly sessionEnd: boolean;
  readonly subAgents: boolean;
  /** In a person's words: what stays unseen, and what shows it instead. */
  readonly blindSpots: readonly string[];
};

export type Source = {
  readonly what: string;
  /** ISO date on which the facts were checked. */
  readonly checked: string;
};

export type ProviderRecord = {
  /** Lower-case, `[a-z0-9-]`; stored and shown everywhere. */
  readonly id: string;
  readonly aliases: readonly string[];
  readonly displayName: string;
  readonly sources: readonly Source[];
  /** `surface`: an envelope's capability names the pane; `session`: the pane is told by session. */
  readonly routing: "surface" | "session";
  /** What tells a session's pane where one process serves many. */
  readonly sessionFiles?: SessionFiles;
  readonly hook: {
    /** Variables of the hook's environment that placement or decoding needs. Never secrets. */
    readonly env: readonly string[];
    /** What the hook prints, by event name, `*` for all others. Empty text prints nothing. */
    readonly reply: Readonly<Record<string, string>>;
    readonly decode: (input: HookInput) => HookFact[];
    /** The provider really speaking, when another agent runs this one's hooks; else null. */
    readonly speaker?: (input: HookInput) => string | null;
    /** Variable that the agent gives its tools, naming the session they work for. */
    readonly sessionVariable?: string;
    /** Variable holding the agent's own pid. */
    readonly pidVariable?: string;
    /** A hook runs as soon as the program is ready for its first prompt, not only with it. */
    readonly readyIsTold?: true;
    /** Variables that, when set, mark a background job, which belongs to no pane. */
    readonly backgroundJob?: readonly string[];
  };
  readonly install: InstallSpec;
  readonly capabilities: Capabilities;
  readonly signature: Signature;
  /** The agent's own record of its turns, read where hooks are silent or cannot tell. */
  readonly transcript?: TranscriptSpec;
  /** A file of each running process that says what it does at this moment. */
  readonly liveStatus?: LiveStatusSpec;
};

/** True for a payload that has any of `keys`; how one agent's payload is told from another's. */
export function hasAnyKey(payload: JsonObject, keys: readonly string[]): boolean {
  return keys.some((key) => Object.hasOwn(payload, key));
}
