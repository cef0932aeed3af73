/** A real `dist/mytty serve` in one environment, and what a person would ask it. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { EventJson } from "../../src/core/log/event_json.ts";
import type { AttentionJson, PlaceJson } from "../../src/core/view/view_json.ts";
import { type Ran, run, signal } from "./running.ts";

const MYTTY = fileURLToPath(new URL("../../dist/mytty", import.meta.url));

export class Served {
  readonly env: Readonly<Record<string, string>>;
  readonly #cwd: string;
  #server: Deno.ChildProcess | undefined;
  #serverSaid = "";

  constructor(env: Readonly<Record<string, string>>, cwd: string) {
    this.env = env;
    this.#cwd = cwd;
  }

  /** What it has written to stderr. */
  get serverSaid(): string {
    return this.#serverSaid;
  }

  async serve(): Promise<void> {
    const server = new Deno.Command(MYTTY, {
      args: ["serve"],
      env: { ...this.env },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#server = server;
    void this.#listen(server.stderr);
    const reader = server.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    assert.ok(value !== undefined, `The server did not start: ${this.#serverSaid}`);
  }

  async stop(name: Deno.Signal = "SIGTERM"): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    signal(server.pid, name);
    await server.stdout.cancel();
    await server.status;
  }

  mytty(...args: string[]): Promise<Ran> {
    return run(MYTTY, args, { env: this.env, cwd: this.#cwd });
  }

  /** What it prints; fails when it fails. */
  async ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.mytty(...args);
    assert.equal(code, 0, `mytty ${args.join(" ")}: ${stdout}${stderr}`);
    return stdout;
  }

  async rows(...options: string[]): Promise<PlaceJson[]> {
    const { surfaces, unplaced } = JSON.parse(await this.ok("list", "--json", ...options));
    return [...surfaces, ...unplaced];
  }

  async attention(...options: string[]): Promise<AttentionJson[]> {
    return JSON.parse(await this.ok("attention", "--json", ...options)).items;
  }

  async events(): Promise<EventJson[]> {
    const lines = (await this.ok("events", "--json")).split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line));
  }

  async #listen(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const part of stream) this.#serverSaid += decoder.decode(part, { stream: true });
  }
}
