/**
 * Where and what the installer writes for a provider: data and small pure functions of the
 * provider's record. The engine that applies them (src/installers) knows no provider.
 */

import type { Json } from "./json.ts";

/**
 * A folder named by the first of `env` that is set and absolute, else below the home folder.
 * `under` is appended to the value of the variable (XDG_CONFIG_HOME + "opencode").
 */
export type BaseFolder = {
  readonly env: readonly { readonly name: string; readonly under?: string }[];
  /** Relative to the home folder, for example ".claude". */
  readonly home: string;
};

/** Versions are compared part by part as numbers; absent bounds are open. */
export type VersionRange = { readonly from?: string; readonly below?: string };

export type Subscription = {
  readonly event: string;
  readonly matcher?: string;
  /** Seconds, or milliseconds where the provider counts so; as written into the config. */
  readonly timeout?: number;
  /** One unknown event name can stop an agent or void its file: written only inside the range. */
  readonly versions?: VersionRange;
};

/** What an entry of ours is made of; `command` is one shell command line, guard included. */
export type EntryParts = { readonly command: string; readonly subscription: Subscription };

/** Entries of ours inside a JSON or JSONC file that belongs to the user. */
export type JsonHooksTarget = {
  readonly kind: "json-hooks";
  readonly base: BaseFolder;
  /** Relative to the base folder. */
  readonly file: string;
  /** `json`: the provider's parser takes no comments; `jsonc`: comments and trailing commas. */
  readonly dialect: "json" | "jsonc";
  readonly subscriptions: readonly Subscription[];
  /** Path of the array that holds the entries of one event: ["hooks", "Stop"]. */
  readonly arrayPath: (event: string) => readonly string[];
  readonly entry: (parts: EntryParts) => Json;
  /** Every command line found in one element of such an array; total over any JSON. */
  readonly commandsOf: (element: Json) => readonly string[];
  /** Keys that must be there for the file to count, set only when absent ({"version": 1}). */
  readonly required?: readonly { readonly path: readonly string[]; readonly value: Json }[];
  readonly mode?: number;
};

/** A file that is ours alone: a plugin entry point, or a hooks file in a folder of such files. */
export type OwnFileTarget = {
  readonly kind: "own-file";
  readonly base: BaseFolder;
  readonly file: string;
  /** The whole text; `command` answers the command line for one event name. */
  readonly text: (context: {
    readonly command: (event: string) => string;
    readonly launcher: string;
    readonly version: string | null;
  }) => string;
  readonly versions?: VersionRange;
  readonly mode?: number;
};

export type InstallTarget = JsonHooksTarget | OwnFileTarget;

/** A file or entry of an earlier release of ours (or of the seeds) that is to be removed. */
export type ObsoleteFile = { readonly base: BaseFolder; readonly file: string };

export type InstallSpec = {
  /** Program names looked for on PATH; the first found is asked for its version. */
  readonly programs: readonly string[];
  readonly versionArguments: readonly string[];
  readonly targets: readonly InstallTarget[];
  readonly obsolete: readonly ObsoleteFile[];
  /** In a person's words: what must be done after an install (restart, trust), or null. */
  readonly afterInstall: string | null;
};
