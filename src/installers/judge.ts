/** One provider's health from what was observed. Pure: the clock and the server's view are inputs. */

export type HealthState =
  | "not-installed"
  | "cli-missing"
  | "installed"
  | "receiving"
  | "untrusted"
  | "restart-needed"
  | "silent"
  | "needs-repair"
  | "conflict"
  | "error";

/** A running agent, as the process table and its transcript show it. */
export interface OpenSession {
  /** What a person finds it by: a folder, a label, a pid. */
  readonly name: string;
  readonly startedAt: number | null;
  /** When its transcript last moved; null when nobody looked. */
  readonly movedAt: number | null;
  /** When its hooks were last heard; null when never. */
  readonly heardAt: number | null;
}

export interface HealthFacts {
  readonly isManaged: boolean;
  readonly hasProgram: boolean;
  /** What is wrong with launcher or files, in a person's words. */
  readonly repairs: readonly string[];
  readonly errors: readonly string[];
  readonly conflicts: readonly string[];
  /** Why hooks cannot work with the program that is there, or null. */
  readonly unsupported: string | null;
  readonly untrusted: readonly string[];
  readonly trustFix: string | null;
  /** Null when the agent takes new hooks up while it runs. */
  readonly afterInstall: string | null;
  readonly installedAt: number | null;
  readonly lastEventAt: number | null;
  readonly sessions: readonly OpenSession[];
}

export interface Health {
  readonly state: HealthState;
  readonly detail: string;
  /** What the user is to do, or null. */
  readonly action: string | null;
}

/** A transcript that is ahead of the hooks by this much has hooks that say nothing. */
const SILENT_AFTER_MS = 60_000;

/** The first that holds, worst first: never green on hope. */
export function judgeHealth(facts: HealthFacts): Health {
  return brokenHealth(facts) ?? hinderedHealth(facts) ?? {
    state: facts.lastEventAt === null ? "installed" : "receiving",
    detail: facts.lastEventAt === null ? "Installed, never heard from" : "Hooks are heard",
    action: null,
  };
}

function brokenHealth(facts: HealthFacts): Health | undefined {
  const { errors, conflicts, repairs, isManaged, hasProgram, unsupported } = facts;
  if (errors.length > 0) return { state: "error", detail: errors.join("; "), action: null };
  if (unsupported !== null && hasProgram) {
    const detail = `Found, but ${unsupported}`;
    return { state: isManaged ? "error" : "not-installed", detail, action: null };
  }
  if (conflicts.length > 0 && (isManaged || hasProgram)) {
    return { state: "conflict", detail: conflicts.join("; "), action: null };
  }
  if (!isManaged) {
    return {
      state: "not-installed",
      detail: hasProgram ? "Found, but not installed" : "Program not found",
      action: hasProgram ? "mytty install" : null,
    };
  }
  if (repairs.length > 0) {
    return { state: "needs-repair", detail: repairs.join("; "), action: "mytty install" };
  }
  if (!hasProgram) {
    return { state: "cli-missing", detail: "Installed, but its program is gone", action: null };
  }
  return undefined;
}

function hinderedHealth(facts: HealthFacts): Health | undefined {
  const { untrusted, trustFix, afterInstall, installedAt, sessions } = facts;
  if (untrusted.length > 0) {
    const hooks = untrusted.length === 1 ? "1 hook waits" : `${untrusted.length} hooks wait`;
    const detail = `${hooks} for your approval`;
    return { state: "untrusted", detail, action: trustFix };
  }
  const old = afterInstall === null || installedAt === null
    ? []
    : sessions.filter((session) =>
      session.startedAt !== null && session.startedAt < installedAt &&
      (session.heardAt ?? 0) < installedAt
    );
  if (old.length > 0) {
    const names = old.map(({ name }) => name).join(", ");
    return {
      state: "restart-needed",
      detail: `Open since before the install: ${names}`,
      action: afterInstall,
    };
  }
  const silent = sessions.filter(({ movedAt, heardAt }) =>
    movedAt !== null && movedAt - (heardAt ?? 0) > SILENT_AFTER_MS &&
    (installedAt === null || movedAt > installedAt)
  );
  if (silent.length === 0) return undefined;
  return {
    state: "silent",
    detail: `Works, but its hooks say nothing: ${silent.map(({ name }) => name).join(", ")}`,
    action: "mytty test",
  };
}

export function isHealthy(state: HealthState): boolean {
  return state === "installed" || state === "receiving";
}
