/**
 * Keeps a socket path bound: private from the first moment, never over something that is not a
 * left-over socket of ours, and bound again when the file disappears.
 */

import type net from "node:net";
import { ensurePrivateFolder, reason } from "./private_folder.ts";

/** A cleaner of temporary folders may remove a live socket; it is noticed within this time. */
const WATCH_MS = 1_000;

/** In-flight requests get this long to finish when the server stops. */
const CLOSE_MS = 6_000;

export type Listener = { readonly close: () => Promise<void> };

/** Binds at the path; `unbind` stops accepting and resolves when open connections have ended. */
export type Bind = (path: string) => Promise<{ readonly unbind: () => Promise<void> }>;

export async function listenOn(
  path: string,
  bind: Bind,
  log: (text: string) => void,
): Promise<Listener> {
  removeStale(path);
  let bound = await bindPrivately(path, bind);
  let inode = inodeOf(path);
  let isBinding = false;
  let complaint = "";

  async function rebind(): Promise<void> {
    if (isBinding || inodeOf(path) === inode) return;
    isBinding = true;
    try {
      if (statOrNull(path) !== null) throw new Error("Something else is there now");
      const before = bound;
      bound = await bindPrivately(path, bind);
      void before.unbind();
      inode = inodeOf(path);
      complaint = "";
      log(`re-created socket "${path}"`);
    } catch (error) {
      // Tried again every second; said once.
      if (reason(error) !== complaint) log(`cannot re-create socket "${path}": ${reason(error)}`);
      complaint = reason(error);
    } finally {
      isBinding = false;
    }
  }

  const timer = setInterval(() => void rebind(), WATCH_MS);
  return {
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
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ path, backlog: 4096 }, () => {
        resolve({ unbind: () => new Promise((done) => server.close(() => done())) });
      });
    });
  };
}

export function bindHttp(handle: (request: Request) => Response | Promise<Response>): Bind {
  return (path) => {
    const server = Deno.serve({ path, onListen: () => {} }, handle);
    return Promise.resolve({ unbind: () => server.shutdown() });
  };
}

/**
 * Binds under a passing name, then moves the socket into place: it is private before it can be
 * found. The runtime removes, when a listener ends, whatever is at the name that it was bound to;
 * that must be neither a newer listener's socket nor anybody else's file.
 */
async function bindPrivately(path: string, bind: Bind) {
  const folder = path.replace(/\/[^/]*$/, "");
  // The cleaner may have taken the folder too.
  ensurePrivateFolder(folder);
  // Not longer than the shortest of our names, so that it fits where they fit.
  const passing = `${folder}/.${crypto.randomUUID().slice(0, 8)}`;
  const bound = await bind(passing);
  Deno.chmodSync(passing, 0o600);
  Deno.renameSync(passing, path);
  return bound;
}

/** Only a socket is ours to remove, and only the holder of the instance lock calls this. */
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

async function within(task: Promise<void>, millis: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, millis));
  await Promise.race([task, late]);
  clearTimeout(timer);
}
