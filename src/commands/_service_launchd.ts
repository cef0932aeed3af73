/** The launchd of macOS, asked by `launchctl`. */

import { LAUNCHD_LABEL, launchdPlist } from "../core/shell/service_launchd.ts";
import { isControl, type ServiceSpec } from "../core/shell/service_spec.ts";
import type { Environment } from "../socket/paths.ts";
import { type Asked, askManager } from "./_ask_manager.ts";
import type { ServiceIssue, ServiceManager, ServiceState } from "./_service_manager.ts";

/** The end of the service before is not waited for by `bootout`; `bootstrap` fails until then. */
const TRIES = 5;
const BETWEEN_MS = 500;

export class LaunchdManager implements ServiceManager {
  readonly name = "launchd";
  readonly path: string;
  readonly text: string;
  readonly textIssue: string | undefined;
  /** The system's own: stays also when empty. */
  readonly folders: readonly string[] = [];
  readonly startCommand: string;
  readonly logCommand: string;
  readonly #domain: string;
  readonly #target: string;

  constructor({ home, uid }: Environment, spec: ServiceSpec) {
    const logFile = `${home}/Library/Logs/mytty.log`;
    this.path = `${home}/Library/LaunchAgents/${LAUNCHD_LABEL}.plist`;
    this.text = launchdPlist(spec, logFile);
    this.textIssue = spec.command.some(isControl)
      ? "Cannot write a launchd agent for a program whose path has control characters"
      : undefined;
    this.#domain = `gui/${uid}`;
    this.#target = `${this.#domain}/${LAUNCHD_LABEL}`;
    this.startCommand = `launchctl bootstrap ${this.#domain} ${this.path}`;
    this.logCommand = `tail ${logFile}`;
  }

  async state(): Promise<ServiceState> {
    const print = await this.#ask("print", this.#target);
    if (print.code === null) return { enabled: null, active: null, reason: print.reason };
    if (print.code !== 0) return { enabled: false, active: false, reason: "not loaded" };
    const word = /^\s*state = (.+)$/m.exec(print.stdout)?.[1] ?? "unknown";
    return { enabled: true, active: word === "running", reason: word };
  }

  async start(
    { isChanged, isLater }: { readonly isChanged: boolean; readonly isLater: boolean },
  ): Promise<ServiceIssue | null> {
    const was = await this.state();
    if (was.enabled === null) return this.#issue(was);
    await this.#ask("enable", this.#target);
    // Loading starts it; a file in its folder is loaded at the next login by itself.
    if (isLater) return null;
    if (was.enabled && !isChanged && was.active) return null;
    if (was.enabled) await this.#ask("bootout", this.#target);
    for (let tries = 1;; tries++) {
      const bootstrap = await this.#ask("bootstrap", this.#domain, this.path);
      if (bootstrap.code === 0) return null;
      if (tries === TRIES || !was.enabled) return this.#issue(bootstrap);
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    }
  }

  async stop(): Promise<ServiceIssue | null> {
    const was = await this.state();
    if (was.enabled === false) return null;
    const bootout = was.enabled === null ? was : await this.#ask("bootout", this.#target);
    if ("code" in bootout && bootout.code === 0) return null;
    return { reason: bootout.reason, next: `launchctl bootout ${this.#target}` };
  }

  async forget(): Promise<void> {}

  #ask(...args: readonly string[]): Promise<Asked> {
    return askManager("launchctl", args);
  }

  #issue({ reason }: { readonly reason: string }): ServiceIssue {
    const next = `in a session with a desktop: ${this.startCommand}; over ssh, start the server ` +
      "by hand: mytty serve";
    return { reason, next };
  }
}
