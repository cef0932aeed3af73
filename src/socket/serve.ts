/** `serve`: take the lock, open the log, sweep, listen, and stop in order. */

import { VERSION_HEADER } from "./control/answers.ts";
import { controlApp } from "./control/app.ts";
import { Daemon, type DaemonOptions } from "./daemon.ts";
import { watchDescriptors } from "./descriptors.ts";
import type { HttpAddress } from "./http_address.ts";
import { openHttpDoor } from "./http_door.ts";
import { createHookServer } from "./hook_endpoint.ts";
import { eventServers } from "./event_socket.ts";
import { acquireInstanceLock, type InstanceLock, lockHolder } from "./instance_lock.ts";
import { createMuxyServer } from "./muxy_socket.ts";
import { bindNet, type Listener, listenOn } from "./listener.ts";
import { socketPathIssue } from "./paths.ts";
import { ensurePrivateFolder } from "./private_folder.ts";
import { holdRuntimeLock } from "./runtime_lock.ts";
import { StateWatch } from "./state_watch.ts";
import { createWebServer } from "./web_server.ts";

export type ServeOptions = DaemonOptions & {
  /** Also tell who has the token, over TCP on this machine. */
  readonly http?: HttpAddress;
  /** Another server has taken the state folder over: this one must end. */
  readonly onLost?: () => void;
};

export type Server = {
  readonly daemon: Daemon;
  /** Stops accepting, finishes what is in flight, checkpoints. */
  readonly stop: () => Promise<void>;
};

/** Another server holds the lock of this state folder. */
export class AlreadyServingError extends Error {
  constructor(pid: number | null) {
    super(
      `Cannot serve: another mytty serves this state folder${pid === null ? "" : ` (pid ${pid})`}`,
    );
    this.name = "AlreadyServingError";
  }
}

export async function startServer(options: ServeOptions): Promise<Server> {
  const { paths } = options;
  for (const path of [paths.eventSocket, paths.controlSocket]) {
    const issue = socketPathIssue(path, Deno.build.os === "darwin" ? "darwin" : "linux");
    if (issue !== undefined) throw new Error(issue);
  }
  // Whatever the caller's umask: sockets and files are private from the moment they exist.
  Deno.umask(0o077);
  ensurePrivateFolder(paths.state);
  ensurePrivateFolder(paths.runtime);
  const { lock, release } = await acquireLocks(options);
  const daemon = openDaemon(options, release);
  const listeners: Listener[] = [];
  const suspect = () => listeners.forEach((listener) => listener.suspect());
  const descriptors = watchDescriptors(options.log, suspect);
  const { eventLog } = daemon;
  const { log, onLost = () => {} } = options;
  const watch = new StateWatch({ paths, eventLog, lock, log, onLost });
  const stop = () => {
    descriptors.stop();
    watch.stop();
    return stopServer({ daemon, listeners, release });
  };
  try {
    await daemon.begin();
    for await (const listener of listen(daemon, options)) listeners.push(listener);
  } catch (error) {
    // Timers and a socket that was bound already would keep the process alive.
    await stop();
    throw error;
  }
  return { daemon, stop };
}

type Locks = { readonly lock: InstanceLock; readonly release: () => void };

/** Of both folders, or of none: what lies in either is this server's alone. */
async function acquireLocks({ paths, log, onLost = () => {} }: ServeOptions): Promise<Locks> {
  const lock = await acquireInstanceLock(paths.lock);
  if (lock === null) throw new AlreadyServingError(lockHolder(paths.lock));
  try {
    const runtime = await holdRuntimeLock(paths, { log, onLost });
    return {
      lock,
      release: () => {
        runtime.release();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function openDaemon(options: ServeOptions, release: () => void): Daemon {
  try {
    return new Daemon(options);
  } catch (error) {
    release();
    throw error;
  }
}

async function* listen(
  daemon: Daemon,
  { paths, log, muxy, http }: ServeOptions,
): AsyncGenerator<Listener> {
  const hooks = createHookServer((request, payload) => daemon.receiveHook(request, payload));
  const handlers = { envelope: (line: string) => daemon.receiveEnvelope(line), http: hooks };
  const app = controlApp(daemon);
  const web = () => createWebServer((request) => app.fetch(request), VERSION_HEADER);
  yield await listenOn(paths.controlSocket, bindNet(web), log);
  if (http !== undefined) {
    const handle = (request: Request) => app.fetch(request);
    const door = await openHttpDoor({ address: http, tokenFile: paths.httpToken, handle });
    daemon.httpUrl = door.url;
    log(`also on ${door.url}, for who has the token in ${paths.httpToken}`);
    yield door;
  }
  if (muxy === true) {
    const create = () => createMuxyServer((line) => daemon.receiveMuxy(line));
    yield await listenOn(paths.muxySocket, bindNet(create), log);
  }
  yield await listenOn(paths.eventSocket, bindNet(eventServers(handlers)), log);
}

async function stopServer(
  { daemon, listeners, release }: {
    daemon: Daemon;
    listeners: readonly Listener[];
    release: () => void;
  },
): Promise<void> {
  const closing = listeners.map((listener) => listener.close());
  daemon.endWaits();
  await Promise.all(closing);
  await daemon.end();
  release();
}
