/** The built program, served in a home of its own with agents' configs in it. */

import { ControlClient } from "../../src/socket/client.ts";
import { type Paths, pathsOf } from "../../src/socket/paths.ts";
import { BUILT } from "../../tests/helpers/built.ts";
import { copyExecutable, writeExecutable } from "../../tests/helpers/executable.ts";
import type { SurfaceEnv } from "../../tests/helpers/daemon.ts";

const AGENTS = ["claude-code", "codex", "gemini", "opencode", "cursor"];

/** As people have them: keys, comments and hooks of their own. */
const CONFIGS: Readonly<Record<string, string>> = {
  ".claude/settings.json":
    '{\n  "model": "opus",\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }] }\n}\n',
  ".codex/config.toml": '# mine\nmodel = "gpt"\n\n[features]\nweb = true\n',
  ".gemini/settings.json": '{\n\t// mine\n\t"theme": "dark",\n}\n',
};

export class SoakServer {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly paths: Paths;
  readonly control: ControlClient;
  readonly launcher: string;
  readonly configPath: string;
  readonly installCommand = ["install", ...AGENTS];
  /** Opened once, for everything that needs a pane. */
  pane: SurfaceEnv = { surfaceID: "", capability: "", env: {} };
  readonly #program: string;
  #child: Deno.ChildProcess | undefined;

  constructor(folder: string) {
    this.folder = folder;
    this.#program = `${folder}/bin/mytty`;
    this.configPath = `${folder}/config.jsonc`;
    const places: Record<string, string> = {
      MYTTY_RUNTIME_DIR: `${folder}/run`,
      MYTTY_STATE_DIR: `${folder}/state`,
      MYTTY_CONFIG: this.configPath,
      HOME: folder,
    };
    this.env = {
      ...places,
      PATH: `${folder}/bin:${Deno.env.get("PATH") ?? "/usr/bin:/bin"}`,
      // Unpacked once for all homes.
      XDG_CACHE_HOME: Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`,
      NO_COLOR: "1",
    };
    const os = Deno.build.os === "darwin" ? "darwin" : "linux";
    const get = (name: string) => places[name];
    this.paths = pathsOf({ get, home: folder, uid: Deno.uid() ?? 0, os });
    this.control = new ControlClient(this.paths.controlSocket);
    this.launcher = `${this.paths.state}/hooks/mytty-hook`;
  }

  get pid(): number {
    return this.#child!.pid;
  }

  async start(): Promise<void> {
    for (const [name, text] of Object.entries(CONFIGS)) {
      const path = `${this.folder}/${name}`;
      Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      Deno.writeTextFileSync(path, text);
    }
    // Nobody's desktop is told of it.
    Deno.writeTextFileSync(this.configPath, '{ "notify": { "enabled": false } }\n');
    for (const program of ["claude", "codex", "gemini", "opencode", "cursor-agent"]) {
      writeExecutable(`${this.folder}/bin/${program}`, `#!/bin/sh\necho "${program} 999.0.0"\n`);
    }
    // A copy: building anew meanwhile must not change what runs.
    copyExecutable(BUILT, this.#program);
    this.#child = new Deno.Command(this.#program, {
      args: ["serve", "--muxy"],
      env: this.env,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = this.#child.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    if (value === undefined) throw new Error("The server did not start");
    await this.mytty(this.installCommand);
    this.pane = await this.openSurface("soak");
  }

  async openSurface(label: string): Promise<SurfaceEnv> {
    const { body } = await this.control.request("/v1/surfaces", {
      method: "POST",
      body: { label },
    });
    const { surfaceID, env } = body as { surfaceID: string; env: Record<string, string> };
    return { surfaceID, env, capability: env.MYTTY_EVENT_CAPABILITY! };
  }

  /** Runs the built program; its exit status is its own affair. */
  async mytty(args: readonly string[]): Promise<void> {
    await new Deno.Command(this.#program, {
      args: [...args],
      env: this.env,
      clearEnv: true,
      stdout: "null",
      stderr: "null",
    }).output();
  }

  async hook(args: readonly string[], stdin: string, env: Record<string, string> = {}) {
    const child = new Deno.Command(this.launcher, {
      args: [...args],
      env: { ...this.env, ...env },
      clearEnv: true,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin)).catch(() => {});
    await writer.close().catch(() => {});
    const { code } = await child.status;
    if (code !== 0) throw new Error(`A hook ended with ${code}`);
  }

  /** The exit status; null when it had ended before. */
  async stop(): Promise<number | null> {
    const child = this.#child;
    if (child === undefined) return null;
    this.#child = undefined;
    try {
      child.kill("SIGTERM");
    } catch {
      return null;
    }
    await child.stdout.cancel();
    return (await child.status).code;
  }
}
