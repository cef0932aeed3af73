/**
 * Makes dist/mytty: compiled where the runtime base (denort) can be had, else portable, and says
 * which and why.
 *
 *   deno task build                     compiled, or portable when the base is out of reach
 *   deno task build --form portable     portable in any case
 *   deno task build --if-stale          only when a source is newer than dist/mytty
 */

import { fileURLToPath } from "node:url";
import { VERSION } from "../src/core/version.ts";
import { ENTRIES, HEAP_FLAG, portableHeader, RUN_FLAGS } from "./portable_header.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const OUTPUT = `${ROOT}dist/mytty`;

type Run = { readonly ok: boolean; readonly output: string };

async function deno(args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
  }).output();
  const decoder = new TextDecoder();
  return { ok: success, output: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** `deno compile` to `output`; `denort` names a runtime base on this machine. */
export function compile(output: string, denort?: string): Promise<Run> {
  return deno(
    ["compile", ...RUN_FLAGS, HEAP_FLAG, "--output", output, "main.ts"],
    denort === undefined ? {} : { DENORT_BIN: denort },
  );
}

/** One self-extracting file: shell header, then a compressed archive of runtime and program. */
export async function makePortable(output: string): Promise<void> {
  const folder = Deno.makeTempDirSync({ prefix: "mytty-build-" });
  try {
    await bundle("main.ts", ["--code-splitting", "--outdir", `${folder}/app`]);
    for (const name of ENTRIES) {
      await bundle(`tools/entries/${name}.ts`, ["--output", `${folder}/app/${name}.js`]);
    }
    Deno.copyFileSync(Deno.execPath(), `${folder}/deno`);
    Deno.chmodSync(`${folder}/deno`, 0o755);
    const archive = await packed(folder);
    const title = `mytty ${VERSION}, portable form (${Deno.build.target})`;
    const header = portableHeader((await sha256(archive)).slice(0, 32), title);
    const temporary = `${output}.${Deno.pid}.tmp`;
    Deno.writeFileSync(temporary, concat(new TextEncoder().encode(header), archive), {
      mode: 0o755,
    });
    Deno.renameSync(temporary, output);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

async function bundle(entry: string, options: readonly string[]): Promise<void> {
  const { ok, output } = await deno([
    "bundle",
    "--quiet",
    "--platform",
    "deno",
    ...options,
    entry,
  ]);
  if (!ok) throw new Error(`Cannot bundle ${entry}: ${output}`);
}

async function packed(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const tar = await new Deno.Command("tar", {
    args: ["-C", folder, "-cf", "archive.tar", "--exclude=archive.tar", "deno", "app"],
    cwd: folder,
  }).output();
  if (!tar.success) throw new Error(`Cannot pack: ${new TextDecoder().decode(tar.stderr)}`);
  const file = await Deno.open(`${folder}/archive.tar`);
  const gzipped = file.readable.pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(gzipped).arrayBuffer());
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function concat(head: Uint8Array, rest: Uint8Array): Uint8Array {
  const all = new Uint8Array(head.length + rest.length);
  all.set(head);
  all.set(rest, head.length);
  return all;
}

function isFresh(): boolean {
  try {
    const built = Deno.statSync(OUTPUT).mtime!.getTime();
    return [
      ...newestSources(`${ROOT}src`),
      `${ROOT}main.ts`,
      `${ROOT}deno.json`,
      `${ROOT}tools/build.ts`,
      `${ROOT}tools/portable_header.ts`,
      ...newestSources(`${ROOT}tools/entries`),
    ]
      .every((path) => Deno.statSync(path).mtime!.getTime() <= built);
  } catch {
    return false;
  }
}

function* newestSources(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* newestSources(path);
    else yield path;
  }
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--if-stale") && isFresh()) return 0;
  Deno.mkdirSync(`${ROOT}dist`, { recursive: true });
  const isPortable = args.includes("portable");
  if (!isPortable) {
    // Aside first: the compiler does not overwrite a file that another form has left.
    const aside = `${OUTPUT}.${Deno.pid}.compiled`;
    const compiled = await compile(aside, Deno.env.get("DENORT_BIN"));
    if (compiled.ok) {
      Deno.renameSync(aside, OUTPUT);
      return report("compiled");
    }
    // The chain of causes ends with the one that counts, such as a name that cannot be resolved.
    const reason = compiled.output.match(/^\s+\d+: (?!<unknown>).+$/gm)?.at(-1)?.replace(
      /^\s+\d+: /,
      "",
    );
    console.error(`No runtime base for the compiled form (${reason ?? compiled.output.trim()});`);
    console.error("making the portable form instead. DENORT_BIN may name a denort binary.");
  }
  await makePortable(OUTPUT);
  return report("portable");
}

function report(form: string): number {
  const size = Math.round(Deno.statSync(OUTPUT).size / 1_048_576);
  console.log(`dist/mytty: ${form} form, ${size} MiB`);
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
