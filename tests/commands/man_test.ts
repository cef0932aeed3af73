/** The manual and the completions know every command, sub-command and flag that the program has. */

import assert from "node:assert/strict";
import { withFolder } from "../helpers/daemon.ts";
import { programEnv, runProgram } from "../helpers/program.ts";

async function output(folder: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(args, { env: programEnv(folder) });
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

/** Every command in the order of the help. */
async function commandNames(folder: string): Promise<string[]> {
  const help = await output(folder, "--help");
  const [, list] = help.split("Commands:\n");
  return [...list!.split("\n\n")[0]!.matchAll(/^ {2}(\S+) /gm)].map((match) => match[1]!);
}

const hasMandoc = new Deno.Command("sh", { args: ["-c", "command -v mandoc"] })
  .outputSync().success;

Deno.test("the manual has a section for every command, with its sub-commands and flags", async () => {
  await withFolder(async (folder) => {
    const manual = await output(folder, "man");
    const names = await commandNames(folder);
    assert.ok(names.includes("service") && names.includes("hook") && names.includes("man"));
    const sections = [...manual.matchAll(/^\.SS mytty (\S+)/gm)]
      .map((match) => match[1]!.replaceAll("\\-", "-"));
    assert.deepEqual(sections, names);
    for (const verb of ["install", "uninstall", "status"]) {
      assert.match(manual, new RegExp(`^\\.B mytty service ${verb}`, "m"));
    }
    assert.match(manual, /^\.B \\-\\-print$/m);
  });
});

Deno.test(
  { name: "mandoc finds nothing to say about the manual", ignore: !hasMandoc },
  async () => {
    await withFolder(async (folder) => {
      Deno.writeTextFileSync(`${folder}/mytty.1`, await output(folder, "man"));
      const { success, stdout } = await new Deno.Command("mandoc", {
        args: ["-T", "lint", "-W", "warning", `${folder}/mytty.1`],
      }).output();
      assert.deepEqual([success, new TextDecoder().decode(stdout)], [true, ""]);
      const shown = await new Deno.Command("mandoc", {
        args: ["-T", "utf8", `${folder}/mytty.1`],
      }).output();
      // A line that begins with a dot or has a backslash would be lost.
      const text = new TextDecoder().decode(shown.stdout).replace(/.[\b]/g, "");
      assert.match(text, /mytty service \[command\]/);
      assert.match(text, /eval "\$\(mytty shell-init bash\)"/);
    });
  },
);

Deno.test("completions know every command, and the words of service", async () => {
  await withFolder(async (folder) => {
    const names = await commandNames(folder);
    const bash = await output(folder, "completions", "bash");
    for (const name of names) {
      assert.match(bash, new RegExp(`^    "${name} "\\*:\\*\\) words="`, "m"));
    }
    assert.match(bash, /^ {4}"service "\*:\*\) words="install uninstall status" ;;$/m);
    const zsh = await output(folder, "completions", "zsh");
    assert.match(zsh, /^ {4}"service "\*:\*\) compadd -- install uninstall status ;;$/m);
    const fish = await output(folder, "completions", "fish");
    assert.match(
      fish,
      /^complete -c mytty -n '__mytty_at "service"' -f -a 'install uninstall status'$/m,
    );
  });
});

Deno.test("man takes no word, and says what to do with what it prints", async () => {
  await withFolder(async (folder) => {
    const env = programEnv(folder);
    assert.match(await output(folder, "man", "--help"), /Usage: mytty man\n[\s\S]*Examples:/);
    const { code, stderr } = await runProgram(["man", "list"], { env });
    assert.deepEqual([code, stderr], [2, 'mytty: Man takes no "list"; see --help\n']);
  });
});
