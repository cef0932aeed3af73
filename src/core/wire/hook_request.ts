/** The hook ingest request (protocol 3.2): header names, limits, and reading them. */

import { uuidOrNull } from "../ids.ts";
import { MAX_MILLIS } from "./date.ts";

export const HOOK_PATH = "/v1/hooks/";
export const MAX_PAYLOAD_BYTES = 1_048_576;

export const HOOK_HEADERS = {
  surface: "mytty-surface",
  capability: "mytty-capability",
  pid: "mytty-pid",
  delivery: "mytty-delivery",
  at: "mytty-at",
  event: "mytty-event",
  env: "mytty-env",
  test: "mytty-test",
  cut: "mytty-cut",
} as const;

/** A null capability comes from our own spool only, where capabilities are never written. */
export type SurfaceClaim = { readonly surfaceID: string; readonly capability: string | null };

export type HookRequest = {
  readonly provider: string;
  readonly claim: SurfaceClaim | null;
  readonly pid: number | null;
  readonly deliveryID: string | null;
  readonly at: number | null;
  readonly event: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly isTest: boolean;
  /** The payload did not end in time: it is what came until then. */
  readonly isCut: boolean;
  /** Taken from the spool: the caller is gone, and no capability was written down. */
  readonly isSpooled: boolean;
};

/** `pairs`: header names (lower case) and values in order; `mytty-env` comes once per variable. */
export function hookRequest(provider: string, pairs: Iterable<[string, string]>): HookRequest {
  const single = new Map<string, string>();
  const env: Record<string, string> = {};
  for (const [name, value] of pairs) {
    if (name === HOOK_HEADERS.env) addVariable(env, value);
    else single.set(name, value);
  }
  const get = (name: keyof typeof HOOK_HEADERS) => single.get(HOOK_HEADERS[name]) || null;
  const surfaceID = uuidOrNull(get("surface"));
  const capability = get("capability");
  return {
    provider,
    claim: surfaceID === null || capability === null ? null : { surfaceID, capability },
    pid: positive(get("pid")),
    deliveryID: uuidOrNull(get("delivery")),
    at: positive(get("at"), MAX_MILLIS),
    event: get("event"),
    env,
    isTest: get("test") === "1",
    isCut: get("cut") === "1",
    isSpooled: false,
  };
}

function addVariable(env: Record<string, string>, text: string): void {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text);
  if (match !== null) env[match[1]!] = match[2]!;
}

function positive(text: string | null, max = Number.MAX_SAFE_INTEGER): number | null {
  const number = Number(text ?? "");
  return Number.isSafeInteger(number) && number > 0 && number <= max ? number : null;
}
