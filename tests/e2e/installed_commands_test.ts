/**
 * The lines that stand in the agents' configs after an install of everything, run as an agent runs
 * them, with whatever can be wrong around them: exit 0, and nothing but the agent's own answer.
 */

import assert from "node:assert/strict";
import { PROVIDERS } from "../../src/core/registry.ts";
import type { ProviderRecord } from "../../src/core/provider.ts";
import { launcherPath } from "../../src/installers/context.ts";
import { findWrittenCommands } from "../../src/installers/written_commands.ts";
import { Built } from "../helpers/built.ts";
import { withFolder } from "../helpers/daemon.ts";
import { writeExecutable } from "../helpers/executable.ts";
import { CLOSED } from "../helpers/hook_runner.ts";
import { installContextFor, putProgram } from "../helpers/install_home.ts";

const SHELLS = [["dash"], ["bash"], ["bash", "--posix"], ["busybox", "sh"], ["zsh"]];
const PAYLOAD = '{"hook_event_name":"Stop","session_id":"s"}';

type Installed = { readonly command: string; readonly answer: string };

type Trouble = {
  readonly name: string;
  readonly redirections?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly hasHome?: boolean;
  /** What became of the launcher; the agent is then given no answer. */
  readonly spoil?: (launcher: string) => void;
  /** What a shell says of it all the same; only a launcher that was tampered with gives cause. */
  readonly remark?: RegExp;
};

const TROUBLES: readonly Trouble[] = [
  { name: "an empty PATH" },
  { name: "no HOME", hasHome: false },
  { name: "a state folder that cannot be written", env: { MYTTY_STATE_DIR: "/dev/null/state" } },
  { name: "a full stdout", redirections: ">/dev/full" },
  ...CLOSED.map((redirections) => ({ name: `closed streams: ${redirections}`, redirections })),
  { name: "no launcher", spoil: (launcher) => Deno.removeSync(launcher) },
  {
    name: "an empty launcher",
    spoil: (launcher) => writeExecutable(launcher, ""),
    remark: /^[^\n]*bash: line 1: [^\n]*mytty-hook: Success\n$/,
  },
  { name: "a launcher that may not run", spoil: (launcher) => Deno.chmodSync(launcher, 0o600) },
];

function answerTo({ hook }: ProviderRecord, event: string): string {
  const reply = hook.reply[event] ?? hook.reply["*"] ?? "";
  return reply === "" ? "" : `${reply}\n`;
}

async function installEverything(folder: string): Promise<readonly Installed[]> {
  // Some events are written for a version that knows them only.
  for (const { install } of PROVIDERS) putProgram(folder, install.programs[0]!);
  const env = { PATH: `${folder}/bin:/usr/bin:/bin` };
  const { code, stderr } = await new Built(folder).mytty(["install"], { env });
  assert.equal(code, 0, stderr);
  const context = installContextFor(folder);
  const found: Installed[] = [];
  for (const record of PROVIDERS) {
    const written = await findWrittenCommands(record, [context]);
    assert.ok(written.length > 0, record.id);
    found.push(...written.map(({ command, event }) => ({
      command,
      answer: answerTo(record, event),
    })));
  }
  return found;
}

async function run(
  folder: string,
  [program, ...options]: readonly string[],
  { command, trouble: { env = {}, hasHome = true, redirections = "" } }: {
    readonly command: string;
    readonly trouble: Trouble;
  },
) {
  const child = new Deno.Command("/bin/sh", {
    args: [
      "-c",
      `exec "$@" ${redirections}`,
      "sh",
      `/usr/bin/${program}`,
      ...options,
      "-c",
      command,
    ],
    clearEnv: true,
    env: { PATH: "", ...hasHome ? { HOME: folder } : {}, ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(PAYLOAD)).then(() => writer.close()).catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

function spooledIn(folder: string): number {
  return [...Deno.readDirSync(`${folder}/state/spool`)].filter(({ name }) => name.endsWith(".hook"))
    .length;
}

Deno.test("installed commands answer their agents, keep the event, and fail in no trouble", async (t) => {
  await withFolder(async (folder) => {
    const installed = await installEverything(folder);
    const launcher = launcherPath(installContextFor(folder));
    const script = Deno.readTextFileSync(launcher);
    assert.ok(installed.length > 100, String(installed.length));
    await t.step("nothing is wrong", async () => {
      for (const [at, { command, answer }] of installed.entries()) {
        const shell = SHELLS[at % SHELLS.length]!;
        const ran = await run(folder, shell, { command, trouble: { name: "none" } });
        assert.deepEqual(ran, { code: 0, stdout: answer, stderr: "" }, `${shell}: ${command}`);
      }
      assert.equal(spooledIn(folder), installed.length);
    });
    for (const [index, trouble] of TROUBLES.entries()) {
      await t.step(trouble.name, async () => {
        writeExecutable(launcher, script);
        trouble.spoil?.(launcher);
        const isHeard = trouble.spoil === undefined && !/(^| )>/.test(trouble.redirections ?? "");
        const keeps = trouble.spoil === undefined && trouble.env === undefined;
        const before = spooledIn(folder);
        let runs = 0;
        // Each command meets one of the troubles.
        for (let at = index; at < installed.length; at += TROUBLES.length) {
          const { command, answer } = installed[at]!;
          for (const shell of SHELLS) {
            const ran = await run(folder, shell, { command, trouble });
            const stderr = trouble.remark?.test(ran.stderr) ? ran.stderr : "";
            const stdout = isHeard ? answer : "";
            assert.deepEqual(ran, { code: 0, stdout, stderr }, `${shell}: ${command}`);
            runs++;
          }
        }
        assert.equal(spooledIn(folder) - before, keeps ? runs : 0);
      });
    }
  });
});
