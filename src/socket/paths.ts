/** Pure: from environment values to the places where sockets and state live (design section 3). */

export type Environment = {
  /** Value of a variable, or undefined when unset or empty. */
  readonly get: (name: string) => string | undefined;
  readonly home: string;
  readonly uid: number;
  readonly os: "darwin" | "linux";
};

export type Paths = {
  readonly runtime: string;
  readonly state: string;
  readonly config: string;
  readonly eventSocket: string;
  readonly controlSocket: string;
  readonly muxySocket: string;
  readonly database: string;
  /** Of the state folder: one server for each. */
  readonly lock: string;
  /** Of the runtime folder: one server for the sockets in it. */
  readonly runtimeLock: string;
  readonly spool: string;
  readonly hookLog: string;
  /** What callers of `serve --http` have to show. */
  readonly httpToken: string;
  /** The last notices and what became of them. */
  readonly notifications: string;
};

/** A relative one means another place in each folder: it counts as unset, as XDG has it. */
function folder({ get }: Environment, name: string): string | undefined {
  const value = get(name);
  return value?.startsWith("/") ? value : undefined;
}

/** What a person is told who set one of our own so; a hook may say nothing. */
export function relativeIssue({ get }: Environment): string | undefined {
  const name = ["MYTTY_RUNTIME_DIR", "MYTTY_STATE_DIR", "MYTTY_CONFIG"].find((name) =>
    get(name)?.startsWith("/") === false
  );
  if (name === undefined) return undefined;
  return `Refusing ${name}="${get(name)}": it is relative, another place in each folder; ` +
    "give the whole path";
}

export function runtimeFolder(env: Environment): string {
  const own = folder(env, "MYTTY_RUNTIME_DIR");
  if (own !== undefined) return own;
  const xdg = folder(env, "XDG_RUNTIME_DIR");
  if (xdg !== undefined) return `${xdg}/mytty`;
  const tmp = env.get("TMPDIR");
  if (env.os === "darwin" && tmp !== undefined) return `${tmp.replace(/\/+$/, "")}/mytty`;
  return `/tmp/mytty-${env.uid}`;
}

export function stateFolder(env: Environment): string {
  const own = folder(env, "MYTTY_STATE_DIR");
  if (own !== undefined) return own;
  const xdg = folder(env, "XDG_STATE_HOME");
  return xdg === undefined ? `${env.home}/.local/state/mytty` : `${xdg}/mytty`;
}

export function configPath(env: Environment): string {
  const own = folder(env, "MYTTY_CONFIG");
  if (own !== undefined) return own;
  return `${folder(env, "XDG_CONFIG_HOME") ?? `${env.home}/.config`}/mytty/config.jsonc`;
}

/** Those that need no home folder. */
export function socketsOf(env: Environment) {
  const runtime = runtimeFolder(env);
  return {
    eventSocket: `${runtime}/event.sock`,
    controlSocket: `${runtime}/control.sock`,
    muxySocket: `${runtime}/muxy.sock`,
  };
}

export function pathsOf(env: Environment): Paths {
  const runtime = runtimeFolder(env);
  const state = stateFolder(env);
  return {
    runtime,
    state,
    config: configPath(env),
    ...socketsOf(env),
    database: `${state}/mytty.sqlite`,
    lock: `${state}/serve.lock`,
    runtimeLock: `${runtime}/serve.lock`,
    spool: `${state}/spool`,
    hookLog: `${state}/hooks.log`,
    httpToken: `${state}/http.token`,
    notifications: `${state}/notifications.json`,
  };
}

/** Has a file for each surface in which work is going on. */
export function liveFolder(runtime: string): string {
  return `${runtime}/live`;
}

/** Longest socket path in bytes: `sun_path` less its terminating zero. */
export function maxSocketPathBytes(os: Environment["os"]): number {
  return os === "darwin" ? 103 : 107;
}

/** Undefined when the path fits; else a sentence that names the length and what to do. */
export function socketPathIssue(path: string, os: Environment["os"]): string | undefined {
  const bytes = new TextEncoder().encode(path).length;
  const limit = maxSocketPathBytes(os);
  if (bytes <= limit) return undefined;
  return `Cannot use socket path: "${path}" has ${bytes} bytes, the system allows ${limit}; ` +
    "set MYTTY_RUNTIME_DIR to a shorter folder";
}
