/**
 * Where and what the installer writes for a provider: data and small pure functions of the
 * provider's record. The engine that applies them (src/installers) knows no provider.
 */

import type { Json } from "../json.ts";

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

/** `json`: the provider's parser takes no comments; `jsonc`: comments and trailing commas. */
export type Dialect = "json" | "jsonc" | "toml";

/** Entries of ours inside a JSON, JSONC or TOML file that belongs to the user. */
export type JsonHooksTarget = {
  readonly kind: "json-hooks";
  readonly base: BaseFolder;
  /** Relative to the base folder. */
  readonly file: string;
  readonly dialect: Dialect;
  readonly subscriptions: readonly Subscription[];
  /** Path of the array that holds the entries of one event: ["hooks", "Stop"]. */
  readonly arrayPath: (event: string) => readonly string[];
  readonly entry: (parts: EntryParts) => Json;
  /** Every command line found in one element of such an array; total over any JSON. */
  readonly commandsOf: (element: Json) => readonly string[];
  /** An element that is ours by its value: it names a file of ours and holds no command. */
  readonly fixed?: Json;
  /** The provider knows entries by their position: nobody else's may move when ours go. */
  readonly positional?: true;
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

/** A setting of the user, or another manager, that our hooks meet: named, never changed. */
export type Obstacle = {
  readonly base: BaseFolder;
  readonly file: string;
  readonly dialect: Dialect;
  /** What stands in the way, in a person's words; null when nothing does. */
  readonly find: (config: Json) => string | null;
  /** Whether entries of ours would do harm beside it; else they are written all the same. */
  readonly blocks: boolean;
};

/** An entry of ours where the provider finds it: positions count in its consent records. */
export type PlacedEntry = {
  /** The spellings of the file's path that the provider may use. */
  readonly files: readonly string[];
  readonly event: string;
  readonly index: number;
  readonly entry: Json;
};

/** The user's consent to hooks, where the provider asks for it. Read, never written. */
export type TrustRule = {
  readonly base: BaseFolder;
  readonly file: string;
  readonly dialect: Dialect;
  readonly isTrusted: (config: Json, entry: PlacedEntry) => boolean;
  /** What the user is to do, in a person's words. */
  readonly fix: string;
};

/** What an agent says of itself: read only, and no proof that a hook was ever heard. */
export type Discovered = { readonly version: string | null; readonly plugins: readonly string[] };

/** A command of the agent that tells its effective plugin list. */
export type DiscoveryRule = {
  readonly arguments: readonly string[];
  /** Null when the text tells no such list. */
  readonly read: (text: string) => Discovered | null;
};

/** Programs of this name whose hooks cannot report: nothing is installed for them. */
export type Unsupported = {
  readonly versions?: VersionRange;
  /** Of the program's first line: what it is written in tells two programs of one name apart. */
  readonly shebang?: RegExp;
  readonly why: string;
};

export type InstallSpec = {
  /** Program names looked for on PATH; the first found is asked for its version. */
  readonly programs: readonly string[];
  readonly versionArguments: readonly string[];
  readonly targets: readonly InstallTarget[];
  readonly obsolete: readonly ObsoleteFile[];
  readonly obstacles?: readonly Obstacle[];
  readonly unsupported?: readonly Unsupported[];
  readonly trust?: TrustRule;
  readonly discovery?: DiscoveryRule;
  /** In a person's words: what must be done after an install (restart, trust), or null. */
  readonly afterInstall: string | null;
};
