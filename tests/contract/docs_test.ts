/** The documents name only commands, flags and files that there are. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { withFolder } from "../helpers/daemon.ts";
import { programEnv, runProgram } from "../helpers/program.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** By name; the example of a new agent names files that a reader is to write. */
function documents(): string[] {
  const pages = (folder: string) =>
    [...Deno.readDirSync(ROOT + folder)].map(({ name }) => `${folder}/${name}`)
      .filter((path) => path.endsWith(".md"));
  return [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    ...pages("docs"),
    ...pages("docs/providers"),
  ];
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Links and paths in backquotes that lead nowhere. */
function deadEnds(path: string, text: string): string[] {
  const folder = ROOT + path.replace(/[^/]*$/, "");
  const links = [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, to]) => folder + to);
  const named = [...text.matchAll(/`((?:src|tests|tools|docs|packaging|bench)\/[\w./-]+\.\w+)`/g)]
    .map(([, to]) => ROOT + to);
  return [...links, ...named.filter((to) => !/acme/.test(to))].filter((to) => !isThere(to));
}

/** Commands with the flags that the manual has for each. */
async function commandsOfManual(): Promise<Map<string, Set<string>>> {
  const commands = new Map<string, Set<string>>();
  await withFolder(async (folder) => {
    const { stdout } = await runProgram(["man"], { env: programEnv(folder) });
    for (const section of stdout.replaceAll("\\-", "-").split("\n.SS mytty ").slice(1)) {
      const name = section.split(/\s/)[0]!;
      commands.set(name, new Set(section.match(/--[a-z][a-z-]*/g)));
    }
  });
  return commands;
}

/** What stands in code: `mytty WORD …` up to the end of the command. */
function usesOf(text: string): string[] {
  const fence = /^ *```\w*\n([\s\S]*?)^ *```/gm;
  const blocks = [...text.matchAll(fence)].flatMap(([, code]) => code!.split("\n"))
    .map((line) => line.replace(/(^|\s)#\s.*$/, ""));
  const spans = [...text.replace(fence, "").matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
  return [...spans.map((span) => span.replaceAll("\n", " ")), ...blocks].flatMap((code) =>
    [...code.matchAll(/(?:^|^\$ |&& |[$#]\(|')mytty ([a-z][a-z-]*(?: [^\s|&;#)]+)*)/g)].map((
      match,
    ) => match[1]!)
  );
}

Deno.test("every link and every file that is named is there", () => {
  for (const path of documents()) {
    assert.deepEqual(deadEnds(path, Deno.readTextFileSync(ROOT + path)), [], path);
  }
});

Deno.test("every command and flag in the documents is one that the program has", async () => {
  const commands = await commandsOfManual();
  let uses = 0;
  for (const path of documents()) {
    for (const use of usesOf(Deno.readTextFileSync(ROOT + path))) {
      const [name, ...words] = use.split(" -- ")[0]!.split(" ");
      const flags = commands.get(name!);
      assert.ok(flags !== undefined, `${path}: "mytty ${use}"`);
      uses++;
      // Those of ssh are ssh's own.
      if (name === "ssh") continue;
      for (const word of words.join(" ").match(/--[a-z][a-z-]*/g) ?? []) {
        assert.ok(flags.has(word) || word === "--help", `${path}: "mytty ${use}" has ${word}`);
      }
    }
  }
  assert.ok(uses > 100, `${uses} uses of commands were looked at`);
});
