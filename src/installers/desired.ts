/** What a provider's files should hold: its record, its version and this user's folders. Pure. */

import type {
  InstallTarget,
  JsonHooksTarget,
  OwnFileTarget,
} from "../core/install/install_target.ts";
import type { Json } from "../core/json.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { isInRange } from "../core/install/version_range.ts";
import { type InstallContext, launcherPath, resolveFile } from "./context.ts";
import { hookCommand } from "./ownership.ts";

export interface DesiredEntry {
  readonly event: string;
  readonly path: readonly string[];
  readonly value: Json;
}

export interface DesiredHooks {
  readonly kind: "hooks";
  readonly path: string;
  readonly target: JsonHooksTarget;
  /** Empty: nothing of ours is to be there. */
  readonly entries: readonly DesiredEntry[];
}

export interface DesiredFile {
  readonly kind: "file";
  readonly path: string;
  readonly target: OwnFileTarget | null;
  /** Null: the file is to be gone. */
  readonly text: string | null;
  /** What it would hold if it were wanted: known as ours even when our records are lost. */
  readonly known: string | null;
}

export type Desired = DesiredHooks | DesiredFile;

export interface DesiredOptions {
  readonly version: string | null;
  /** False for an uninstall: the same places, with nothing of ours in them. */
  readonly wanted: boolean;
}

export function desiredOf(
  record: ProviderRecord,
  context: InstallContext,
  options: DesiredOptions,
): Desired[] {
  const launcher = launcherPath(context);
  const command = (event: string) => hookCommand({ launcher, provider: record.id, event });
  const targets = record.install.targets.map((target) =>
    desiredTarget(target, { ...options, context, launcher, command })
  );
  const obsolete = record.install.obsolete.map(({ base, file }): DesiredFile => ({
    kind: "file",
    path: resolveFile(context, base, file),
    target: null,
    text: null,
    known: null,
  }));
  return [...targets, ...obsolete];
}

type TargetOptions = DesiredOptions & {
  readonly context: InstallContext;
  readonly launcher: string;
  readonly command: (event: string) => string;
};

function desiredTarget(target: InstallTarget, options: TargetOptions): Desired {
  const { version, wanted, context, launcher, command } = options;
  const path = resolveFile(context, target.base, target.file);
  if (target.kind === "own-file") {
    const isWanted = wanted && isInRange(version, target.versions);
    const known = target.text({ command, launcher, version });
    return { kind: "file", path, target, text: isWanted ? known : null, known };
  }
  const subscriptions = wanted ? target.subscriptions : [];
  const entries = subscriptions.filter(({ versions }) => isInRange(version, versions)).map(
    (subscription): DesiredEntry => ({
      event: subscription.event,
      path: target.arrayPath(subscription.event),
      value: target.entry({ command: command(subscription.event), subscription }),
    }),
  );
  return { kind: "hooks", path, target, entries };
}
