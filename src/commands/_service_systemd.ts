/** Systemd's user manager, asked by `systemctl --user`. */

import { SYSTEMD_UNIT, systemdIssue, systemdUnit } from "../core/shell/service_systemd.ts";
import type { ServiceSpec } from "../core/shell/service_spec.ts";
import { findProgram } from "../notify/program.ts";
import type { Environment } from "../socket/paths.ts";
import { type Asked, askManager } from "./_ask_manager.ts";
import { removeIfThere } from "./_service_file.ts";
import type { ServiceIssue, ServiceManager, ServiceState } from "./_service_manager.ts";

const START = `systemctl --user daemon-reload && systemctl --user enable --now ${SYSTEMD_UNIT}`;

export class SystemdManager implements ServiceManager {
  readonly name = "systemd";
  readonly path: string;
  readonly text: string;
  readonly textIssue: string | undefined;
  readonly folders: readonly string[];
  readonly startCommand = START;
  readonly logCommand = `journalctl --user -u ${SYSTEMD_UNIT} -e`;
  readonly #wants: string;
  readonly #environment: Environment;

  constructor(environment: Environment, spec: ServiceSpec) {
    const { home, get } = environment;
    const base = `${get("XDG_CONFIG_HOME") ?? `${home}/.config`}/systemd`;
    this.path = `${base}/user/${SYSTEMD_UNIT}`;
    this.text = systemdUnit(spec);
    this.textIssue = systemdIssue(spec);
    const wants = `${base}/user/default.target.wants`;
    this.folders = [wants, `${base}/user`, base];
    this.#wants = `${wants}/${SYSTEMD_UNIT}`;
    this.#environment = environment;
  }

  async state(): Promise<ServiceState> {
    const active = await this.#ask("is-active", SYSTEMD_UNIT);
    const word = active.stdout.trim();
    // It says a word whenever it could ask; the exit status alone would not tell.
    if (word === "") return { enabled: null, active: null, reason: active.reason };
    const enabled = (await this.#ask("is-enabled", SYSTEMD_UNIT)).stdout.trim();
    return { enabled: enabled === "enabled", active: word === "active", reason: word };
  }

  async start(
    { isChanged, isLater }: { readonly isChanged: boolean; readonly isLater: boolean },
  ): Promise<ServiceIssue | null> {
    const reload = await this.#ask("daemon-reload");
    if (reload.code !== 0) return this.#unreachable(reload);
    const was = await this.state();
    // Failed starts of an earlier day would keep it down.
    await this.#ask("reset-failed", SYSTEMD_UNIT);
    const enable = await this.#ask("enable", ...isLater ? [] : ["--now"], SYSTEMD_UNIT);
    if (enable.code !== 0) return this.#failed(enable);
    if (isLater || !isChanged || was.active !== true) return null;
    const restart = await this.#ask("restart", SYSTEMD_UNIT);
    return restart.code === 0 ? null : this.#failed(restart);
  }

  async stop(): Promise<ServiceIssue | null> {
    const disable = await this.#ask("disable", "--now", SYSTEMD_UNIT);
    if (disable.code === 0) return null;
    // What `enable` made; without a manager nobody else takes it away.
    removeIfThere(this.#wants);
    return { reason: disable.reason, next: "a server that it started ends when you log out" };
  }

  async forget(): Promise<void> {
    await this.#ask("daemon-reload");
  }

  #ask(...args: readonly string[]): Promise<Asked> {
    return askManager("systemctl", ["--user", ...args]);
  }

  #failed({ reason }: Pick<Asked, "reason">): ServiceIssue {
    return { reason, next: `${this.logCommand} says why; then: ${START}` };
  }

  #unreachable({ reason }: Asked): ServiceIssue {
    if (findProgram(["systemctl"]) === null) {
      return { reason, next: "without systemd, start the server by hand: mytty serve" };
    }
    if (!/bus|runtime|medium|not been booted/i.test(reason)) return this.#failed({ reason });
    const { uid } = this.#environment;
    return {
      reason,
      next: `no systemd user session is reachable: log in directly (not by su or sudo), or run ` +
        `\`loginctl enable-linger\` and \`export XDG_RUNTIME_DIR=/run/user/${uid}\`, then: ` +
        `${START}; where systemd does not run (containers), start the server by hand: mytty serve`,
    };
  }
}
