/**
 * Keeps a socket path bound: private from the first moment, never over something that is not a
 * left-over socket of ours, and bound again when the file disappears or the listener has gone deaf.
 */

import type net from "node:net";
import { ListenerCheck } from "./listener_check.ts";
import { ensurePrivateFolder, reason } from "./private_folder.ts";

/** A cleaner of temporary folders may remove a live socket; it is noticed within this time. */
const WATCH_MS = 1_000;

/** Binding under a passing name takes a moment; an older such socket is a left-over. */
const PASSING_MS = 60_000;

/** In-flight requests get this long to finish when the server stops. */
export const CLOSE_MS = 6_000;

export type Listener = {
  readonly close: () => Promise<void>;
  /** Something happened after which it may be deaf: looked at with the next look. */
  readonly suspect: () => void;
};

export type Bound = {
  /** Stops accepting and resolves when open connections have ended. */
  readonly unbind: () => Promise<void>;
  /** How many connections came so far. */
  readonly accepted: () => number;
};

export type Bind = (path: string) => Promise<Bound>;

export async function listenOn(
  path: string,
  bind: Bind,
  log: (text: string) => void,
): Promise<Listener> {
  removeStale(path);
  sweepPassing(folderOf(path));
  let bound = await bindPrivately(path, bind);
  let inode = inodeOf(path);
  let isLooking = false;
  let complaint = "";
  const check = new ListenerCheck(path);

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      const isThere = inodeOf(path) === inode;
      if (isThere && !await check.isLost(bound)) return;
      if (!isThere && statOrNull(path) !== null) throw new Error("Something else is there now");
      const before = bound;
      bound = await bindPrivately(path, bind);
      void before.unbind();
      inode = inodeOf(path);
      complaint = "";
      log(`re-created socket "${path}"${isThere ? ": it took no connections any more" : ""}`);
    } catch (error) {
      // Tried again every second; said once.
      if (reason(error) !== complaint) log(`cannot re-create socket "${path}": ${reason(error)}`);
      complaint = reason(error);
    } finally {
      isLooking = false;
    }
  }

  const timer = setInterval(() => void look(), WATCH_MS);
  return {
    suspect: () => check.suspect(),
    close: async () => {
      clearInterval(timer);
      const ended = bound.unbind();
      if (inodeOf(path) === inode) Deno.removeSync(path);
      await within(ended, CLOSE_MS);
    },
  };
}

export function bindNet(create: () => net.Server): Bind {
  return (path) => {
    const server = create();
    let accepted = 0;
    server.on("connection", () => accepted++);
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ path, backlog: 4096 }, () => {
        const unbind = () => new Promise<void>((done) => server.close(() => done()));
        resolve({ unbind, accepted: () => accepted });
      });
    });
  };
}

/**
 * Binds under a passing name, then moves the socket into place: it is private before it can be
 * found. The runtime removes, when a listener ends, whatever is at the name that it was bound to;
 * that must be neither a newer listener's socket nor anybody else's file.
 */
async function bindPrivately(path: string, bind: Bind) {
  const folder = folderOf(path);
  // The cleaner may have taken the folder too.
  ensurePrivateFolder(folder);
  // Not longer than the shortest of our names, so that it fits where they fit.
  const passing = `${folder}/.${crypto.randomUUID().slice(0, 8)}`;
  const bound = await bind(passing);
  try {
    Deno.chmodSync(passing, 0o600);
    Deno.renameSync(passing, path);
    return bound;
  } catch (error) {
    void bound.unbind();
    throw error;
  }
}

/** Sockets under passing names of servers that were killed between two steps. */
function sweepPassing(folder: string): void {
  for (const { name } of Deno.readDirSync(folder)) {
    if (!/^\.[0-9a-f]{8}$/.test(name)) continue;
    const info = statOrNull(`${folder}/${name}`);
    const isOld = Date.now() - (info?.mtime?.getTime() ?? Date.now()) > PASSING_MS;
    if (info?.isSocket && isOld) Deno.removeSync(`${folder}/${name}`);
  }
}

function folderOf(path: string): string {
  return path.replace(/\/[^/]*$/, "");
}

/** Only a socket is ours to remove, and only the holder of the runtime folder's lock calls this. */
function removeStale(path: string): void {
  const info = statOrNull(path);
  if (info === null) return;
  if (info.isSymlink || !info.isSocket) {
    throw new Error(`Refusing socket path: "${path}" is there and is not a socket; move it away`);
  }
  Deno.removeSync(path);
}

function inodeOf(path: string): number | null {
  const info = statOrNull(path);
  return info !== null && info.isSocket ? info.ino : null;
}

function statOrNull(path: string): Deno.FileInfo | null {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

export async function within(task: Promise<void>, millis: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, millis));
  await Promise.race([task, late]);
  clearTimeout(timer);
}
