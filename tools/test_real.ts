/**
 * Real agents under real conditions: `deno task test:real [--short] [--filter TEXT] [AGENT…]`.
 *
 * Installs the agents from npm (once, outside the tree), then runs the tests of tests/real in a
 * network namespace with nothing but loopback, where a fake model answers. Where no such namespace
 * can be had nothing is run, and the exit status is 3.
 */

import { fileURLToPath } from "node:url";
import {
  type AgentPackage,
  AGENTS,
  agentsFolder,
  findAgent,
  type NpmPackage,
  packageFolder,
} from "../tests/real/agents.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** What the quick subset is made of. */
const SHORT_AGENTS = ["claude-code", "codex"];

/**
 * Loopback only; and processes of their own, so that the agents of this machine's user are not
 * seen, and all that was started ends with the run. In some containers only the first can be had.
 */
const NAMESPACES: readonly (readonly string[])[] = [
  ["-n", "-p", "-f", "--mount-proc", "--kill-child"],
  ["-n"],
];

type Options = {
  readonly isShort: boolean;
  readonly filter: string | undefined;
  readonly agents: readonly AgentPackage[];
};

function optionsOf(args: readonly string[]): Options {
  let isShort = false;
  let filter: string | undefined;
  const ids: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index]!;
    if (word === "--short") isShort = true;
    else if (word === "--filter") filter = args[++index];
    else ids.push(word);
  }
  const unknown = ids.filter((id) => findAgent(id) === undefined);
  if (unknown.length > 0) {
    const known = AGENTS.map(({ id }) => id).join(", ");
    fail(`No such agent: ${unknown.join(", ")}; there are ${known}`, 2);
  }
  const chosen = ids.length > 0 ? ids : isShort ? SHORT_AGENTS : AGENTS.map(({ id }) => id);
  const agents = AGENTS.filter(({ id }) => chosen.includes(id) && isFile(testFile(id)));
  // Without a file the runner would take all tests that it finds.
  if (agents.length === 0) fail("No tests for these agents", 2);
  return { isShort, filter, agents };
}

function testFile(id: string): string {
  return `${ROOT}tests/real/${id}.real.ts`;
}

async function installMissing(agents: readonly AgentPackage[], root: string): Promise<void> {
  const all = agents.flatMap(({ packages }) => packages);
  const missing = all.filter((npm, index) =>
    !isInstalled(npm, root) && all.findIndex(({ name }) => name === npm.name) === index
  );
  for (const [index, npm] of missing.entries()) {
    const label = `${npm.name}@${npm.version}`;
    console.log(`Installing ${label} (${index + 1} of ${missing.length}) into ${root}`);
    const startedAt = Date.now();
    const folder = packageFolder(root, npm);
    Deno.mkdirSync(folder, { recursive: true });
    const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--no-update-notifier"];
    if (await run("npm", [...args, label]) !== 0) fail(`npm could not install ${label}`);
    if (!isInstalled(npm, root)) fail(`npm did not install ${label}`);
    console.log(`  done in ${Math.round((Date.now() - startedAt) / 1000)} s`);
  }
}

function isInstalled(npm: NpmPackage, root: string): boolean {
  const modules = `${packageFolder(root, npm)}/node_modules`;
  try {
    // Written last, so an installation that broke off counts as none.
    Deno.statSync(`${modules}/.package-lock.json`);
    const text = Deno.readTextFileSync(`${modules}/${npm.name}/package.json`);
    return JSON.parse(text).version === npm.version;
  } catch {
    return false;
  }
}

/** The arguments of `unshare` that work here; an agent is never run without them. */
async function findIsolation(): Promise<readonly string[]> {
  let issue = "";
  for (const wanted of NAMESPACES) {
    const args = Deno.uid() === 0 ? wanted : ["-r", ...wanted];
    issue = await unshareIssue(args);
    if (issue === "") return args;
  }
  return fail(`No network namespace with loopback only, so no real agent is run: ${issue}`, 3);
}

/** What keeps `unshare` from it; empty when nothing does. */
async function unshareIssue(args: readonly string[]): Promise<string> {
  const probe = new Deno.Command("unshare", {
    args: [...args, "ip", "link", "set", "lo", "up"],
    stdout: "null",
    stderr: "piped",
  });
  try {
    const { success, stderr } = await probe.output();
    return success ? "" : new TextDecoder().decode(stderr).trim() || "unshare failed";
  } catch (error) {
    return String(error);
  }
}

async function main(): Promise<number> {
  const { isShort, filter, agents } = optionsOf(Deno.args);
  if (Deno.build.os !== "linux") fail("Real agents are run on Linux only: it needs namespaces");
  const isolation = await findIsolation();
  const root = agentsFolder((name) => Deno.env.get(name));
  await installMissing(agents, root);
  const deno = Deno.execPath();
  if (await run(deno, ["run", "-A", `${ROOT}tools/build.ts`, "--if-stale"]) !== 0) return 1;
  const files = agents.map(({ id }) => testFile(id));
  // Inside there is no network to load anything from.
  if (await run(deno, ["cache", "--quiet", ...files]) !== 0) return 1;
  const tests = ["test", "-A", "--cached-only", ...(filter ? ["--filter", filter] : []), ...files];
  // The shell stays, as the first process of the namespace: it reaps what others leave behind.
  const script = 'ip link set lo up && "$@"; exit $?';
  return await run("unshare", [...isolation, "sh", "-c", script, "sh", deno, ...tests], {
    MYTTY_REAL_AGENTS_DIR: root,
    MYTTY_REAL_SHORT: isShort ? "1" : "0",
  });
}

async function run(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<number> {
  const child = new Deno.Command(program, { args: [...args], env, cwd: ROOT, stdin: "null" });
  return (await child.spawn().status).code;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function fail(message: string, code = 1): never {
  console.error(message);
  Deno.exit(code);
}

Deno.exit(await main());
