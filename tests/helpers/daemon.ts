/** A real server on real sockets in a temporary folder, in this process. */

import net from "node:net";
import type { Notifier } from "../../src/core/ports.ts";
import type { Processes } from "../../src/core/process/process.ts";
import { createProcesses } from "../../src/estimator/processes.ts";
import { ControlClient } from "../../src/socket/client.ts";
import type { HttpAddress } from "../../src/socket/http_address.ts";
import { type Environment, type Paths, pathsOf } from "../../src/socket/paths.ts";
import { type Server, startServer } from "../../src/socket/serve.ts";

export type TestServer = {
  readonly server: Server;
  readonly paths: Paths;
  readonly control: ControlClient;
  readonly logged: string[];
  /** Opens a surface; its environment as a hook would have it. */
  readonly openSurface: (label?: string, pid?: number) => Promise<SurfaceEnv>;
};

export type SurfaceEnv = {
  readonly surfaceID: string;
  readonly capability: string;
  readonly env: Record<string, string>;
};

export function temporaryPaths(folder: string): Paths {
  const values: Record<string, string> = {
    MYTTY_RUNTIME_DIR: `${folder}/run`,
    MYTTY_STATE_DIR: `${folder}/state`,
    MYTTY_CONFIG: `${folder}/config.jsonc`,
  };
  const environment: Environment = {
    get: (name) => values[name],
    home: folder,
    uid: Deno.uid() ?? 0,
    os: Deno.build.os === "darwin" ? "darwin" : "linux",
  };
  return pathsOf(environment);
}

export type StartOptions = {
  readonly folder: string;
  readonly processes?: Processes;
  readonly idleAfter?: number;
  readonly notifier?: Notifier;
  readonly muxy?: boolean;
  readonly http?: HttpAddress;
  readonly program?: string;
  readonly isInstalled?: (provider: string) => boolean;
};

export async function startTestServer(options: StartOptions): Promise<TestServer> {
  const paths = temporaryPaths(options.folder);
  const logged: string[] = [];
  const server = await startServer({
    paths,
    processes: options.processes ?? createProcesses(),
    log: (text) => logged.push(text),
    muxy: options.muxy === true,
    program: options.program ?? null,
    ...(options.idleAfter === undefined ? {} : { idleAfter: options.idleAfter }),
    ...(options.isInstalled === undefined ? {} : { isInstalled: options.isInstalled }),
    ...(options.http === undefined ? {} : { http: options.http }),
    ...(options.notifier === undefined ? {} : { notifier: options.notifier }),
  });
  const control = new ControlClient(paths.controlSocket);
  return {
    server,
    paths,
    control,
    logged,
    openSurface: async (label = "test", pid) => {
      const reply = await control.request("/v1/surfaces", {
        method: "POST",
        body: { label, pid: pid ?? null },
      });
      const { surfaceID, env } = reply.body as { surfaceID: string; env: Record<string, string> };
      return { surfaceID, capability: env.MYTTY_EVENT_CAPABILITY!, env };
    },
  };
}

/** Runs `task` with a fresh server, which is stopped and removed afterwards whatever happens. */
export async function withServer(
  task: (test: TestServer) => Promise<void>,
  options: Omit<StartOptions, "folder"> = {},
): Promise<void> {
  await withFolder(async (folder) => {
    const test = await startTestServer({ ...options, folder });
    try {
      await task(test);
    } finally {
      await test.server.stop();
    }
  });
}

/** A short path, so that sockets in it fit `sun_path`. */
export async function withFolder(task: (folder: string) => Promise<void>): Promise<void> {
  const folder = Deno.makeTempDirSync({ dir: "/tmp", prefix: "mt-" });
  try {
    await task(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Sends raw bytes to a socket and returns all that comes back until it closes. */
export function exchange(
  path: string,
  bytes: Uint8Array | string,
  { end = true }: { end?: boolean } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = net.connect(path, () => end ? socket.end(bytes) : socket.write(bytes));
    socket.setEncoding("utf8");
    socket.on("data", (part: string) => text += part);
    socket.on("error", reject);
    socket.on("end", () => socket.end());
    socket.on("close", () => resolve(text));
  });
}

export type EventFields = Record<string, unknown>;

/** A valid envelope for the surface; `event` overrides fields of the event. */
export function envelope(
  { surfaceID, capability }: Pick<SurfaceEnv, "surfaceID" | "capability">,
  event: EventFields = {},
  outer: Record<string, unknown> = {},
): string {
  return `${
    JSON.stringify({
      schemaVersion: 1,
      capability,
      event: {
        schemaVersion: 1,
        id: { rawValue: crypto.randomUUID() },
        runID: { rawValue: crypto.randomUUID() },
        sessionID: "session-1",
        surfaceID: { rawValue: surfaceID },
        provider: "test-agent",
        kind: "started",
        occurredAt: new Date().toISOString(),
        ...event,
      },
      ...outer,
    })
  }\n`;
}
