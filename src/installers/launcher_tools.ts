/** I/O edge: the system's tools that the launcher calls, by absolute path, and how they behave. */

import { shellQuote } from "../core/shell/shell_quote.ts";

export interface LauncherTools {
  readonly curl: string | null;
  readonly cat: string | null;
  readonly mv: string | null;
  readonly rm: string | null;
  readonly mkdir: string | null;
  readonly date: string | null;
  readonly sleep: string | null;
  readonly du: string | null;
  /** Script line that sets `id` to a UUID. */
  readonly makeID: string;
  /** Script line that sets `at` to milliseconds since 1970. */
  readonly readTime: string;
  /** Whether these are real milliseconds, not whole seconds. */
  readonly isExact: boolean;
}

const SYSTEM_FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/** Below this, curl cannot read headers from a descriptor. */
const LEAST_CURL = [7, 55];

/** The system's own folders come first: what a user puts on PATH may vanish with a project. */
export async function findLauncherTools(path: string): Promise<LauncherTools> {
  const folders = [...SYSTEM_FOLDERS, ...path.split(":").filter((part) => part.startsWith("/"))];
  const find = (name: string) => findExecutable(name, folders);
  const names = ["curl", "cat", "mv", "rm", "mkdir", "date", "sleep", "du"] as const;
  const found = Object.fromEntries(names.map((name) => [name, find(name)])) as Record<
    typeof names[number],
    string | null
  >;
  const curl = found.curl !== null && await isNewEnough(found.curl) ? found.curl : null;
  return { ...found, curl, makeID: idLine(find), ...await clock(found.date, find("stat")) };
}

/** The first executable file of that name; null when there is none. */
export function findExecutable(name: string, folders: readonly string[]): string | null {
  for (const folder of folders) {
    const path = `${folder.replace(/\/+$/, "")}/${name}`;
    try {
      const info = Deno.statSync(path);
      if (info.isFile && ((info.mode ?? 0o111) & 0o111) !== 0) return path;
    } catch {
      // Not here.
    }
  }
  return null;
}

async function isNewEnough(curl: string): Promise<boolean> {
  const version = /^curl (\d+)\.(\d+)/.exec(await output(curl, ["--version"]));
  if (version === null) return false;
  const [major, minor] = [Number(version[1]), Number(version[2])];
  return major > LEAST_CURL[0]! || (major === LEAST_CURL[0]! && minor >= LEAST_CURL[1]!);
}

function idLine(find: (name: string) => string | null): string {
  try {
    Deno.statSync("/proc/sys/kernel/random/uuid");
    return "read -r id </proc/sys/kernel/random/uuid";
  } catch {
    // Not a Linux kernel.
  }
  const uuidgen = find("uuidgen");
  if (uuidgen !== null) return `id=$(${shellQuote(uuidgen)})`;
  const od = shellQuote(find("od") ?? "od");
  return `set -- $(${od} -An -N16 -tx1 /dev/urandom)
id=$1$2$3$4-$5$6-$7$8-$9\${10}-\${11}\${12}\${13}\${14}\${15}\${16}`;
}

async function clock(
  date: string | null,
  stat: string | null,
): Promise<Pick<LauncherTools, "readTime" | "isExact">> {
  if (date !== null && /^\d{19}\s*$/.test(await output(date, ["+%s%N"]))) {
    return { readTime: 'at=$("$date" +%s%N)\nat=${at%??????}', isExact: true };
  }
  // BSD: the payload was written just now, and its file knows when.
  if (stat !== null && /^\d+\.\d{9}\s*$/.test(await output(stat, ["-f", "%Fm", "/"]))) {
    const lines = [
      `at=$(${shellQuote(stat)} -f %Fm "$part")`,
      "fraction=${at#*.}",
      'at=${at%%.*}${fraction%"${fraction#???}"}',
    ];
    return { readTime: lines.join("\n"), isExact: true };
  }
  return { readTime: 'at=$("$date" +%s)000', isExact: false };
}

async function output(program: string, args: string[]): Promise<string> {
  try {
    const command = new Deno.Command(program, { args, stdin: "null", stderr: "null" });
    return new TextDecoder().decode((await command.output()).stdout);
  } catch {
    return "";
  }
}
