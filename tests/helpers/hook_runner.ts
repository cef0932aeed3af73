/** Both hook transports behind one interface, and a server that keeps what it was sent. */

import http from "node:http";
import { fileURLToPath } from "node:url";
import { installContextFor } from "./install_home.ts";
import { launcherProviders } from "../../src/installers/launcher_file.ts";
import { launcherText } from "../../src/installers/launcher.ts";
import { findLauncherTools, type LauncherTools } from "../../src/installers/launcher_tools.ts";
import { parseSpoolFile, type SpooledHook } from "../../src/core/wire/spool_file.ts";
import { writeExecutable } from "./executable.ts";

export type Transport = { readonly name: string; readonly command: (place: Place) => string[] };

/** Folders of one test; their names hold what breaks careless scripts. */
export type Place = {
  readonly folder: string;
  readonly state: string;
  readonly socket: string;
  readonly launcher: string;
};

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));

export const SHELLS: readonly Transport[] = [
  ["dash"],
  ["bash"],
  ["bash", "--posix"],
  ["busybox", "sh"],
  ["zsh", "--emulate", "sh"],
].map((shell) => ({
  name: shell.join(" "),
  command: ({ launcher }) => [`/usr/bin/${shell[0]}`, ...shell.slice(1), launcher],
}));

export const PROGRAM: Transport = {
  name: "mytty hook",
  command: () => [Deno.execPath(), "run", "-A", "--no-lock", MAIN, "hook"],
};

export type StageOptions = {
  readonly hasCurl?: boolean;
  readonly program?: readonly string[];
  /** In place of the system's own. */
  readonly tools?: Partial<LauncherTools>;
};

export async function withPlace(task: (place: Place) => Promise<void>): Promise<void> {
  const folder = Deno.makeTempDirSync({ dir: "/tmp", prefix: "m t'é$" });
  const state = `${folder}/st [a]te`;
  const place = {
    folder,
    state,
    socket: `${folder}/ev'"s.sock`,
    launcher: `${state}/hooks/mytty-hook`,
  };
  try {
    await task(place);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

export async function stageLauncher(
  { folder, state, socket, launcher }: Place,
  { hasCurl = true, program = ["/nowhere/mytty"], tools: others = {} }: StageOptions = {},
): Promise<void> {
  const tools = { ...await findLauncherTools("/usr/bin:/bin"), ...others };
  const context = installContextFor(folder, { stateFolder: state, eventSocket: socket });
  const text = launcherText({
    ...context,
    program,
    providers: launcherProviders(),
    tools: hasCurl ? tools : { ...tools, curl: null },
  });
  writeExecutable(launcher, text);
}

export type RunOptions = {
  readonly args: readonly string[];
  readonly stdin?: string | Uint8Array;
  readonly keepsStdinOpen?: boolean;
  readonly env?: Record<string, string>;
  /** As a shell writes it: `2>&-` closes stderr. */
  readonly redirections?: string;
};

/** Every set of the three streams that a hook may find closed. */
export const CLOSED = ["<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"];

export type Ran = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly millis: number;
};

/** With an empty PATH, and no variable but what a hook must have. */
export async function runTransport(
  transport: Transport,
  place: Place,
  { args, stdin = "", keepsStdinOpen = false, env = {}, redirections }: RunOptions,
): Promise<Ran> {
  const wrapper = ["/bin/sh", "-c", `exec "$@" ${redirections}`, "sh"];
  const [program, ...rest] = [
    ...redirections === undefined ? [] : wrapper,
    ...transport.command(place),
  ];
  const began = performance.now();
  const child = new Deno.Command(program!, {
    args: [...rest, ...args],
    clearEnv: true,
    env: {
      PATH: "",
      HOME: place.folder,
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
      MYTTY_STATE_DIR: place.state,
      MYTTY_EVENT_SOCKET: place.socket,
      ...env,
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const bytes = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  const written = writer.write(bytes).then(() => keepsStdinOpen ? undefined : writer.close())
    .catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const millis = performance.now() - began;
  await written;
  if (keepsStdinOpen) await writer.close().catch(() => {});
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr), millis };
}

export type Received = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly env: readonly string[];
  readonly body: string;
};

export type HookServer = { readonly received: Received[]; readonly close: () => Promise<void> };

export type Behaviour = "answers" | "refuses" | "fails-once" | "hangs";

/** Answers at the end of the request's JSON, as the real one does. */
export async function startHookServer(socket: string, behaviour: Behaviour): Promise<HookServer> {
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    let isDone = false;
    const done = () => {
      if (isDone) return;
      isDone = true;
      const env = request.rawHeaders.filter((_, at) =>
        at % 2 === 1 && request.rawHeaders[at - 1]!.toLowerCase() === "mytty-env"
      );
      received.push({ url: request.url ?? "", headers: request.headers, env, body });
      if (behaviour === "hangs") return;
      if (behaviour === "fails-once" && received.length === 1) {
        request.socket.destroy();
        return;
      }
      response.writeHead(behaviour === "refuses" ? 400 : 200, { connection: "close" });
      response.end(behaviour === "refuses" ? '{"ok":false,"error":"invalid-request"}' : "{}");
    };
    request.on("data", (part) => {
      body += part;
      if (body.length < 100_000 && isJson(body)) done();
    });
    request.on("end", done);
    request.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function spooled({ state }: Place): SpooledHook[] {
  try {
    return [...Deno.readDirSync(`${state}/spool`)].map(({ name }) => name)
      .filter((name) => name.endsWith(".hook")).sort()
      .map((name) => {
        const bytes = Deno.readFileSync(`${state}/spool/${name}`);
        return parseSpoolFile(bytes, (part) => new TextDecoder().decode(part))!;
      });
  } catch {
    return [];
  }
}

/** What is left beside finished files: half-written ones, once those at work have ended. */
export async function leftOvers({ state }: Place): Promise<string[]> {
  for (let round = 0;; round++) {
    const names = [...Deno.readDirSync(`${state}/spool`)].map(({ name }) => name)
      .filter((name) => name.startsWith("."));
    if (names.length === 0 || round === 40) return names;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
