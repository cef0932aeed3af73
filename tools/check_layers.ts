/**
 * Checks the import directions of the house (design section 2):
 * main -> commands -> (socket | installers | estimator | notify | views) -> core.
 *
 * Core imports nothing of ours outside itself; edge folders do not import one another.
 */

const ROOT = new URL("../", import.meta.url);
const SOURCE = new URL("src/", ROOT);
const EDGES = ["socket", "installers", "estimator", "notify", "views"];

/** Libraries that the core may use: pure, without a runtime's types. */
const CORE_LIBRARIES = [/^zod$/, /^@noble\/hashes\//];

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: ["core"],
  ...Object.fromEntries(EDGES.map((edge) => [edge, [edge, "core"]])),
  commands: ["commands", "core", ...EDGES],
};

function* sourceFiles(folder: URL): Generator<URL> {
  for (const entry of Deno.readDirSync(folder)) {
    if (entry.isDirectory) yield* sourceFiles(new URL(`${entry.name}/`, folder));
    else if (entry.name.endsWith(".ts")) yield new URL(entry.name, folder);
  }
}

function importsOf(text: string): string[] {
  // Plugin sources are text in template strings; what they import is their host's affair.
  const code = text.replace(/`(?:\\.|[^`\\])*`/gs, "``");
  const statements = code.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g);
  return [...statements].map((match) => match[1]!);
}

function layerOf(url: URL): string {
  return url.pathname.slice(SOURCE.pathname.length).split("/")[0]!;
}

function issuesOf(file: URL): string[] {
  const layer = layerOf(file);
  const allowed = ALLOWED[layer];
  const name = file.pathname.slice(ROOT.pathname.length);
  if (allowed === undefined) return [`${name}: "src/${layer}" is no folder of the house`];
  return importsOf(Deno.readTextFileSync(file)).flatMap((specifier) => {
    if (specifier.startsWith(".")) {
      const target = layerOf(new URL(specifier, file));
      return allowed.includes(target) ? [] : [`${name}: ${layer} may not import ${target}`];
    }
    const isFine = layer !== "core" || CORE_LIBRARIES.some((library) => library.test(specifier));
    return isFine ? [] : [`${name}: core may not import "${specifier}"`];
  });
}

const issues = [...sourceFiles(SOURCE)].flatMap(issuesOf);
for (const issue of issues) console.error(issue);
if (issues.length > 0) Deno.exit(1);
