/**
 * Whether a hook comes from another machine or container. Its pids are of another system then:
 * taken for ours, they would name a stranger's process.
 */

export type Origin = {
  /** What to show; null for this machine. */
  readonly host: string | null;
  /** Our own `mytty ssh` vouches for the pane it came through. */
  readonly isRelayed: boolean;
};

/** Set by `mytty ssh` on this side of the link; no hook sends it of itself. */
export const RELAY_VARIABLE = "MYTTY_RELAY";
export const ORIGIN_VARIABLE = "MYTTY_ORIGIN";

export function originOf(
  env: Readonly<Record<string, string | undefined>>,
  { hostname, hasAgent }: { readonly hostname: string; readonly hasAgent: boolean },
): Origin {
  const isRelayed = env[RELAY_VARIABLE] === "1";
  const told = env[ORIGIN_VARIABLE];
  if (told) return { host: told, isRelayed };
  // A container names itself here. An agent found at the pid proves that it is one of ours.
  const name = env.HOSTNAME;
  const isStranger = name && !hasAgent && shortName(name) !== shortName(hostname);
  return { host: isStranger ? name : null, isRelayed };
}

function shortName(host: string): string {
  return host.split(".")[0]!.toLowerCase();
}
