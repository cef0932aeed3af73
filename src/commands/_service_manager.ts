/** A service manager as `mytty service` needs it; systemd's and launchd's differ in words only. */

import { resolve } from "node:path";
import { PROVIDERS } from "../core/registry.ts";
import { serviceEnvironment, type ServiceSpec } from "../core/shell/service_spec.ts";
import type { Environment } from "../socket/paths.ts";
import { LaunchdManager } from "./_service_launchd.ts";
import { SystemdManager } from "./_service_systemd.ts";

export type ServiceState = {
  /** Null where the manager cannot be asked; `reason` says why. */
  readonly enabled: boolean | null;
  readonly active: boolean | null;
  readonly reason: string;
};

/** Why a step failed, and what to do about it. */
export type ServiceIssue = { readonly reason: string; readonly next: string };

export interface ServiceManager {
  readonly name: "systemd" | "launchd";
  readonly path: string;
  readonly text: string;
  /** Why no file can be written for this program; undefined when it can. */
  readonly textIssue: string | undefined;
  /** Folders that go with the file when they are empty then. */
  readonly folders: readonly string[];
  /** What a person would type to start it, and to look at its log. */
  readonly startCommand: string;
  readonly logCommand: string;
  state(): Promise<ServiceState>;
  /** Makes it start at every login, and now unless `isLater`. */
  start(options: { readonly isChanged: boolean; readonly isLater: boolean }): Promise<
    ServiceIssue | null
  >;
  /** Ends it and forgets that it was to be started. */
  stop(): Promise<ServiceIssue | null>;
  /** After the file is gone. */
  forget(): Promise<void>;
}

export function serviceManager(
  environment: Environment,
  program: readonly string[],
): ServiceManager {
  const { home, get, os } = environment;
  const spec: ServiceSpec = {
    command: [...program, "serve"],
    environment: serviceEnvironment({
      home,
      os,
      get,
      resolve: (path) => resolve(path),
      records: PROVIDERS,
    }),
  };
  return os === "darwin"
    ? new LaunchdManager(environment, spec)
    : new SystemdManager(environment, spec);
}
