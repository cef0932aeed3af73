/**
 * Protocol v3, as Muxy's bridges and plugins speak it: one JSON object on a line, answered by one
 * fixed line when it was taken, and by nothing when it was not. Pure.
 */

import { findProvider } from "../registry.ts";
import { isObject, type JsonObject, own, parseJson } from "../json.ts";
import { boundedText } from "../text.ts";

export const MUXY_VERSION = 3;

/** Keys in alphabetical order: the bridge's own encoder writes them so. */
export const MUXY_ACK = '{"kind":"ack","ok":true,"v":3}\n';

/** Nothing is said about a limit; texts are cut to 200 characters by the sender. */
export const MUXY_MAX_LINE_BYTES = 1_048_576;

/** So many ids are remembered; a repeat does not refresh its place. */
export const MUXY_REMEMBERED = 256;

export const MUXY_PHASES = ["working", "waiting", "finished"] as const;

export type MuxyPhase = typeof MUXY_PHASES[number];

export type MuxyEvent = {
  /** Null for a missing or empty id: never a duplicate. */
  readonly id: string | null;
  /** As sent. */
  readonly key: string;
  /** Our id of the provider. */
  readonly provider: string;
  /** Lower case; null when the sender does not know its pane. */
  readonly paneID: string | null;
  readonly phase: MuxyPhase;
  readonly title: string;
  readonly body: string;
  readonly pids: readonly number[];
  readonly test: boolean;
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MAX_PID = 2 ** 31 - 1;
const MIN_PID = -(2 ** 31);
const MAX_TEXT = 2_000;

/** Null for whatever gets no acknowledgement. */
export function decodeMuxy(line: string): MuxyEvent | null {
  const value = parseJson(line);
  if (!isObject(value)) return null;
  if (own(value, "v") !== MUXY_VERSION || own(value, "kind") !== "agent_event") return null;
  const key = own(value, "provider");
  const phase = own(value, "phase");
  const [title, body, pids] = [own(value, "title"), own(value, "body"), pidsOf(value)];
  const optional = optionalFields(value);
  if (typeof key !== "string" || key === "" || optional === null || pids === null) return null;
  if (typeof title !== "string" || typeof body !== "string" || !isPhase(phase)) return null;
  if (!isInteger(own(value, "ts"))) return null;
  return {
    ...optional,
    key,
    provider: muxyProvider(key),
    phase,
    title: boundedText(title, MAX_TEXT),
    body: boundedText(body, MAX_TEXT),
    pids,
  };
}

type OptionalFields = Pick<MuxyEvent, "id" | "paneID" | "test">;

/** Absent and null are the same; another type, or a pane id of another form, is an error. */
function optionalFields(value: JsonObject): OptionalFields | null {
  const id = own(value, "id") ?? null;
  const paneID = own(value, "paneID") ?? null;
  const test = own(value, "test") ?? false;
  if (id !== null && typeof id !== "string") return null;
  if (paneID !== null && (typeof paneID !== "string" || !UUID.test(paneID))) return null;
  if (typeof test !== "boolean") return null;
  return { id: id === "" ? null : id, paneID: paneID?.toLowerCase() ?? null, test };
}

function pidsOf(value: JsonObject): readonly number[] | null {
  const pids = own(value, "pids");
  if (!Array.isArray(pids)) return null;
  const isPid = (pid: unknown) => isInteger(pid) && pid >= MIN_PID && pid <= MAX_PID;
  return pids.every(isPid) ? pids as number[] : null;
}

function isInteger(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value);
}

function isPhase(value: unknown): value is MuxyPhase {
  return MUXY_PHASES.includes(value as MuxyPhase);
}

/** "claude_hook" is the provider called "claude"; a stranger becomes a word that we can store. */
export function muxyProvider(key: string): string {
  const word = key.replace(/_hook$/, "");
  const known = findProvider(word) ?? findProvider(key);
  if (known !== undefined) return known.id;
  const plain = key.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 64);
  return plain === "" ? "socket" : plain;
}

/** The last 256 ids, first in, first out. */
export class MuxyIDs {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    // A set keeps the order of first insertion: adding a repeat does not refresh its place.
    this.#ids.add(id);
    if (this.#ids.size > MUXY_REMEMBERED) this.#ids.delete(this.#ids.values().next().value!);
  }
}
