/** The doctor's checks of the server and its files. */

import { loadConfig, readConfigText } from "../socket/config_file.ts";
import type { Paths } from "../socket/paths.ts";
import {
  databaseFact,
  freeBytes,
  servingPid,
  socketFact,
  spoolFact,
} from "../socket/self_check.ts";
import { UnreachableError, type WhyUnreachable } from "../socket/unreachable.ts";
import type { Check } from "../views/doctor_page.ts";
import { duration } from "../views/paint.ts";
import { client } from "./_command.ts";

export type ServerAnswer =
  | { readonly state: "up"; readonly status: ServerStatus }
  | { readonly state: WhyUnreachable | "broken"; readonly reason: string };

type ServerStatus = {
  readonly version: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly position: number;
  /** A server of an older version does not say. */
  readonly storeRefusal?: { readonly at: string; readonly reason: string } | null;
};

export async function askServer(paths: Paths): Promise<ServerAnswer> {
  try {
    const reply = await client(paths).request("/v1/status");
    return { state: "up", status: reply.body as ServerStatus };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof UnreachableError) return { state: error.why, reason };
    return { state: "broken", reason };
  }
}

const GROUP = "Server";

/** A busy day's log and its write-ahead log. */
const SCARCE_BYTES = 16 * 1_048_576;

export function serverChecks(paths: Paths, server: ServerAnswer): Check[] {
  const os = Deno.build.os === "darwin" ? "darwin" : "linux";
  const isUp = server.state === "up";
  return [
    serverCheck(paths, server),
    socketCheck("event socket", socketFact(paths.eventSocket, os), isUp),
    socketCheck("control socket", socketFact(paths.controlSocket, os), isUp),
    databaseCheck(paths.database, server),
    spoolCheck(paths.spool, isUp),
    configCheck(paths.config),
  ];
}

/** A sandbox that forbids the connection is no sign of a server that is down. */
function serverCheck(paths: Paths, server: ServerAnswer): Check {
  const base = { group: GROUP, name: "server" };
  const holder = servingPid(paths);
  switch (server.state) {
    case "up": {
      const { version, pid, startedAt, position } = server.status;
      const age = duration(Date.now() - Date.parse(startedAt));
      const detail = `mytty ${version}, pid ${pid}, up ${age}, log position ${position}`;
      return { ...base, state: "ok", detail, next: null };
    }
    case "blocked":
      return {
        ...base,
        state: "warn",
        detail: "blocked by a sandbox here; whether it runs cannot be told",
        next: `Run this outside the sandbox, or allow it the socket ${paths.controlSocket}`,
      };
    case "down":
      return {
        ...base,
        state: "fail",
        detail: holder === null
          ? "not running"
          : `pid ${holder} holds the lock but does not answer`,
        next: holder === null
          ? "Start it: mytty serve"
          : `Look at its log, or end it: kill ${holder}`,
      };
    case "silent":
      return {
        ...base,
        state: "fail",
        detail: holder === null ? "does not answer" : `pid ${holder} runs but does not answer`,
        next: holder === null
          ? "Look at its log, or start it anew: mytty serve"
          : `If it is stopped: kill -CONT ${holder}; else end it: kill ${holder}`,
      };
    case "stopped":
    case "unusable":
    case "broken":
      return {
        ...base,
        state: "fail",
        detail: `does not answer as it should: ${server.reason}`,
        next: holder === null
          ? "Start it anew: mytty serve"
          : `End it and start it anew: kill ${holder}`,
      };
  }
}

function socketCheck(name: string, fact: ReturnType<typeof socketFact>, isUp: boolean): Check {
  const base = { group: GROUP, name, detail: fact.detail };
  switch (fact.state) {
    case "there":
      return { ...base, state: isUp ? "ok" : "note", next: null };
    case "missing":
      return isUp
        ? { ...base, state: "fail", next: "It is made anew within two seconds; look again" }
        : { ...base, state: "note", next: null };
    case "not-a-socket":
      return { ...base, state: "fail", next: `Move it away: mv ${fact.path} ${fact.path}.old` };
    case "too-open":
      return { ...base, state: "warn", next: `Make it private: chmod 600 ${fact.path}` };
    case "too-long":
      return { ...base, state: "fail", next: "Set MYTTY_RUNTIME_DIR to a shorter folder" };
  }
}

function databaseCheck(path: string, server: ServerAnswer): Check {
  const base = { group: GROUP, name: "database" };
  const refusal = server.state === "up" ? server.status.storeRefusal ?? null : null;
  if (refusal !== null) {
    const age = duration(Date.now() - Date.parse(refusal.at));
    const detail = `took nothing ${age} ago: ${refusal.reason}`;
    return { ...base, state: "fail", detail, next: `Make room on the disk of ${path}` };
  }
  const fact = databaseFact(path);
  switch (fact.state) {
    case "missing":
      return {
        ...base,
        state: "note",
        detail: "not there yet; the first start makes it",
        next: null,
      };
    case "fine": {
      const size = (fact.bytes / 1_048_576).toFixed(1);
      const detail = `${fact.rows} rows, ${size} MiB`;
      const free = freeBytes(path);
      if (free !== null && free < SCARCE_BYTES) {
        const left = (free / 1_048_576).toFixed(1);
        const next = `Make room on the disk of ${path}`;
        return { ...base, state: "warn", detail: `${detail}; the disk has ${left} MiB left`, next };
      }
      return { ...base, state: "ok", detail, next: null };
    }
    case "unreadable":
      return {
        ...base,
        state: "fail",
        detail: `cannot be read: ${fact.reason}`,
        next: `The server sets a damaged one aside at its next start; it is ${path}`,
      };
  }
}

function spoolCheck(folder: string, isUp: boolean): Check {
  const { waiting, dropped } = spoolFact(folder);
  const base = { group: GROUP, name: "spool" };
  const detail = `${waiting} events wait, ${dropped} were dropped`;
  if (dropped > 0) {
    const next = `Events were lost while no server ran; forget the count: rm ${folder}/dropped`;
    return { ...base, state: "warn", detail, next };
  }
  if (waiting > 0 && !isUp) {
    return { ...base, state: "note", detail, next: "They are taken in when the server starts" };
  }
  return { ...base, state: "ok", detail, next: null };
}

function configCheck(path: string): Check {
  const base = { group: GROUP, name: "configuration" };
  const result = loadConfig(path);
  const [note] = result.ok ? result.notes : [];
  if (note !== undefined) {
    return { ...base, state: "warn", detail: note, next: "mytty config check says more" };
  }
  if (result.ok) {
    const isThere = readConfigText(path) !== null;
    const detail = isThere ? path : `${path} is not there; the defaults hold`;
    return { ...base, state: "ok", detail, next: null };
  }
  return {
    ...base,
    state: "fail",
    detail: result.issues[0] ?? "",
    next: "mytty config check says more",
  };
}
