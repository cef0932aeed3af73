/** The documents name only commands, flags and files that there are. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { ControlClient } from "../../src/socket/client.ts";
import { BUILT, Built } from "../helpers/built.ts";
import { withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
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

/** Lines that write a file into the reader's home, as documents and helps have them. */
async function linesThatWrite(built: Built): Promise<string[]> {
  const helps = [["man"], ["man", "--help"], ["completions", "--help"], ["serve", "--help"]];
  const texts = await Promise.all(helps.map(async (args) => (await built.mytty(args)).stdout));
  const pages = documents().map((path) => Deno.readTextFileSync(ROOT + path));
  const lines = [...pages, ...texts].join("\n").replaceAll("\\-", "-").split("\n")
    .filter((line) => /^( *[a-z].*)?mytty .*>>? ?["~$]/.test(line.trim()))
    .map((line) => line.trim().replace(/ {2,}[(#].*$| # .*$/, ""));
  return [...new Set(lines)];
}

Deno.test("lines that write into the home can be pasted as they are on a fresh account", async () => {
  await withFolder(async (folder) => {
    const built = new Built(folder);
    const lines = await linesThatWrite(built);
    assert.ok(lines.length >= 6, lines.join("\n"));
    for (const [at, line] of lines.entries()) {
      const home = `${folder}/${at}`;
      Deno.mkdirSync(`${home}/bin`, { recursive: true });
      Deno.symlinkSync(BUILT, `${home}/bin/mytty`);
      const { XDG_CACHE_HOME, PATH } = built.env;
      const env = {
        XDG_CACHE_HOME: XDG_CACHE_HOME!,
        HOME: home,
        PATH: `${home}/bin:${PATH}`,
        XDG_RUNTIME_DIR: home,
      };
      const options = { env, clearEnv: true, stdout: "null", stderr: "piped" } as const;
      const { success, stderr } = await new Deno.Command("sh", {
        args: ["-c", line.replace(/&$/, ">/dev/null &")],
        ...options,
      }).output();
      const said = new TextDecoder().decode(stderr);
      assert.deepEqual([success, said], [true, ""], line);
      if (/&$/.test(line)) await endServer(home);
      else assert.notEqual(Deno.readTextFileSync(writtenBy(line, home)), "", line);
    }
  });
});

function writtenBy(line: string, home: string): string {
  return />>? *(\S+)/.exec(line)![1]!.replace("~", home);
}

/** It runs in the background, and holds its lock from the beginning. */
async function endServer(home: string): Promise<void> {
  const control = new ControlClient(`${home}/mytty/control.sock`);
  const { body } = await eventually(() =>
    control.request("/v1/status").catch(() => false as const)
  );
  Deno.kill((body as { pid: number }).pid, "SIGTERM");
  await eventually(() => !isThere(`${home}/mytty/control.sock`));
  assert.equal(Deno.readTextFileSync(`${home}/.local/state/mytty/serve.log`), "");
}
