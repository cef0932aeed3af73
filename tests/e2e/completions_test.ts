/** Completions as each shell really completes: what is begun, and what the Tab makes of it. */

import assert from "node:assert/strict";
import { Built } from "../helpers/built.ts";
import { withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { TestTmux } from "../helpers/notify.ts";

/** Each has one way to go on. */
const CASES: [begun: string, completed: string][] = [
  ["wai", "wait"],
  ["wait --unt", "wait --until"],
  ["wait --until att", "wait --until attention"],
  ["wait x --until fin", "wait x --until finished"],
  ["install --check claude-", "install --check claude-code"],
  ["uninstall goo", "uninstall goose"],
  ["test kim", "test kimi"],
  ["shell-init z", "shell-init zsh"],
  ["emit --kind succ", "emit --kind succeeded"],
  ["emit --provider antig", "emit --provider antigravity"],
  ["estimate --provider goo", "estimate --provider goose"],
  ["surface op", "surface open"],
  ["surface open --lab", "surface open --label"],
  ["surface finished --st", "surface finished --status"],
  ["notify te", "notify test"],
  ["notify test desk", "notify test desktop"],
  ["attention ack --js", "attention ack --json"],
  ["completions fi", "completions fish"],
  ["serve --ht", "serve --http"],
];

async function scriptOf(built: Built, shell: string): Promise<string> {
  const path = `${built.folder}/_mytty`;
  const { code, stdout } = await built.mytty(["completions", shell]);
  assert.equal(code, 0);
  Deno.writeTextFileSync(path, stdout);
  return path;
}

/** An interactive shell in a real terminal, with our completions and no others' settings. */
const SHELLS: Readonly<Record<string, { command: string[]; load: (path: string) => string }>> = {
  bash: { command: ["bash", "--norc"], load: (path) => `PS1='> '; source ${path}; clear` },
  zsh: {
    command: ["zsh", "-f"],
    load: (path) =>
      `PS1='> '; fpath=(${
        path.replace("/_mytty", "")
      } $fpath); autoload -U compinit; compinit -u -D; clear`,
  },
};

for (const [shell, { command, load }] of Object.entries(SHELLS)) {
  Deno.test(`${shell} completes commands, flags and the values that are known`, async () => {
    await withFolder(async (folder) => {
      const path = await scriptOf(new Built(folder), shell);
      const tmux = new TestTmux(folder);
      const screen = () => tmux.run("capture-pane", "-p", "-t", "c");
      const shows = async (text: string) => {
        let seen = "";
        const isThere = async () => (seen = await screen()).trimEnd().split("\n").includes(text);
        await eventually(isThere).catch(() => assert.fail(`"${text}" is not in\n${seen}`));
      };
      try {
        const env = ["env", "-i", "TERM=screen", `HOME=${folder}`, `PATH=${Deno.env.get("PATH")}`];
        await tmux.run("new-session", "-d", "-s", "c", "-x", "120", "-y", "30", ...env, ...command);
        await tmux.run("send-keys", "-t", "c", load(path), "Enter");
        await shows(">");
        for (const [begun, completed] of CASES) {
          await tmux.run("send-keys", "-t", "c", `mytty ${begun}`, "Tab");
          await shows(`> mytty ${completed}`);
          await tmux.run("send-keys", "-t", "c", "C-u", "C-l");
          await shows(">");
        }
        // More than one way: all of them, and nothing else.
        await tmux.run("send-keys", "-t", "c", "mytty notify test ", "Tab", "Tab");
        const channels = /command +desktop +ntfy +terminal +tmux +webhook/;
        await eventually(async () => channels.test(await screen()));
      } finally {
        await tmux.end();
      }
    });
  });
}

Deno.test("fish completes commands, flags and the values that are known", async () => {
  await withFolder(async (folder) => {
    const path = await scriptOf(new Built(folder), "fish");
    const complete = async (line: string) => {
      const script = `source ${path}; complete -C ${JSON.stringify(`mytty ${line}`)}`;
      const { stdout, stderr } = await new Deno.Command("fish", {
        args: ["--no-config", "-c", script],
        env: { HOME: folder },
      }).output();
      assert.equal(new TextDecoder().decode(stderr), "");
      const lines = new TextDecoder().decode(stdout).trimEnd().split("\n");
      return lines.map((one) => one.split("\t")[0]);
    };
    for (const [begun, completed] of CASES) {
      assert.deepEqual(await complete(begun), [completed.split(" ").at(-1)], begun);
    }
    const channels = ["command", "desktop", "ntfy", "terminal", "tmux", "webhook"];
    assert.deepEqual((await complete("notify test ")).toSorted(), channels);
    assert.deepEqual((await complete("surface open --")).toSorted(), [
      "--help",
      "--json",
      "--label",
      "--pid",
    ]);
  });
});
