/**
 * What a service of the user's own session is started with: the program, and those variables that
 * decide where things are. A service manager starts it without the shell's environment. Pure.
 */

import type { ProviderRecord } from "../provider.ts";

export type ServiceSpec = {
  /** Absolute path of the program, and its words. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

/** Opens every file of ours: what does not begin so is somebody else's, and stays. */
export const SERVICE_MARK = "mytty service: written by `mytty service install`";

/** Where our folders are. Nothing else of MYTTY_…: a pane's capability is a secret. */
const FOLDERS = [
  "MYTTY_RUNTIME_DIR",
  "MYTTY_STATE_DIR",
  "MYTTY_CONFIG",
  "XDG_STATE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_CACHE_HOME",
];

type Surroundings = {
  readonly home: string;
  readonly os: "darwin" | "linux";
  readonly get: (name: string) => string | undefined;
  /** Makes a path absolute as this process sees it. */
  readonly resolve: (path: string) => string;
  readonly records: readonly ProviderRecord[];
};

/** The folders that are named now, and a PATH in which agents and helpers are found. */
export function serviceEnvironment(surroundings: Surroundings): Record<string, string> {
  const { get, resolve, records } = surroundings;
  const environment: Record<string, string> = {
    PATH: servicePath(get("PATH") ?? "", surroundings),
  };
  for (const name of new Set([...FOLDERS, ...records.flatMap(folderNames)])) {
    const value = get(name);
    if (value === undefined || isControl(value)) continue;
    // A relative folder of an agent is another one wherever the agent is started: nobody's.
    if (value.startsWith("/")) environment[name] = value;
    else if (FOLDERS.includes(name)) environment[name] = resolve(value);
  }
  return environment;
}

/** Variables that name an agent's folder. */
function folderNames({ install, transcript, liveStatus }: ProviderRecord): string[] {
  const bases = [
    ...install.targets.map(({ base }) => base),
    ...transcript === undefined ? [] : [transcript.base],
    ...liveStatus === undefined ? [] : [liveStatus.base],
  ];
  return bases.flatMap(({ env }) => env.map(({ name }) => name));
}

const STANDARD = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];
const STANDARD_MAC = ["/opt/homebrew/bin", ...STANDARD];

/** Absolute entries in their order, each once, and the usual ones after them. */
function servicePath(path: string, { home, os }: Pick<Surroundings, "home" | "os">): string {
  const own = path.split(":").filter((part) => part.startsWith("/") && !isControl(part));
  const standard = os === "darwin" ? STANDARD_MAC : STANDARD;
  return [...new Set([...own, `${home}/.local/bin`, ...standard])].join(":");
}

/** No service file can hold these without a trick. */
export function isControl(text: string): boolean {
  // deno-lint-ignore no-control-regex
  return /[\x00-\x1f\x7f]/.test(text);
}

/** Whether a service file's text is ours to replace or remove. */
export function isServiceText(text: string): boolean {
  return text.split("\n", 4).some((line) => line.includes(SERVICE_MARK));
}
