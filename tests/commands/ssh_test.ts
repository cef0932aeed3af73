/** Agents on another machine: a real sshd on loopback, the real client, the staged launcher. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { hostName, remoteCommand, sshWords } from "../../src/core/shell/ssh_words.ts";
import type { PlaceJson } from "../../src/core/view/view_json.ts";
import { type TestServer, withServer } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { listOf, rowOf, Stage } from "../helpers/panes.ts";
import { programEnv, runProgram, spawnProgram } from "../helpers/program.ts";
import { writeExecutable } from "../helpers/executable.ts";

const SSHD = "/usr/sbin/sshd";

function hasSshd(): boolean {
  try {
    return Deno.statSync(SSHD).isFile && Deno.build.os === "linux" && Deno.uid() === 0;
  } catch {
    return false;
  }
}

type Sshd = { readonly options: string[]; readonly pid: number; readonly end: () => Promise<void> };

async function startSshd(folder: string): Promise<Sshd> {
  Deno.mkdirSync("/run/sshd", { recursive: true });
  for (const name of ["host", "me"]) {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", `${folder}/${name}`]);
  }
  const port = freePort();
  const config = [
    `HostKey ${folder}/host`,
    `AuthorizedKeysFile ${folder}/me.pub`,
    `PidFile ${folder}/sshd.pid`,
    "ListenAddress 127.0.0.1",
    "StrictModes no",
    "UsePAM no",
    "PermitRootLogin yes",
  ].join("\n");
  Deno.writeTextFileSync(`${folder}/sshd_config`, `${config}\n`);
  const server = new Deno.Command(SSHD, {
    args: ["-D", "-f", `${folder}/sshd_config`, "-p", String(port)],
    stdout: "null",
    stderr: "null",
  }).spawn();
  await eventually(() =>
    Deno.connect({ hostname: "127.0.0.1", port }).then((one) => (one.close(), true), () => false)
  );
  const options = ["-F", "none", "-p", String(port), "-i", `${folder}/me`];
  for (
    const option of ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR"]
  ) {
    options.push("-o", option);
  }
  return {
    options,
    pid: server.pid,
    end: async () => {
      server.kill("SIGTERM");
      await server.status;
    },
  };
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}

type Scene = { test: TestServer; stage: Stage; sshd: Sshd; env: Record<string, string> };

function withSshd(task: (scene: Scene) => Promise<void>): Promise<void> {
  return withServer(async (test) => {
    const folder = test.paths.state.replace(/\/state$/, "");
    const stage = await Stage.open(folder, test);
    const sshd = await startSshd(folder);
    try {
      await task({ test, stage, sshd, env: programEnv(folder) });
    } finally {
      await sshd.end();
    }
  });
}

const prompt = {
  session_id: "there",
  hook_event_name: "UserPromptSubmit",
  prompt: "go",
  cwd: "/x",
};

Deno.test(
  { name: "an agent on another machine reports here, in its pane", ignore: !hasSshd() },
  async () => {
    await withSshd(async ({ test, stage, sshd, env }) => {
      const hold = stage.pipe();
      const script = stage.script(
        "there.sh",
        `${stage.hook("claude-code", prompt)}\nread -r x < ${hold.path}\n`,
      );
      const child = spawnProgram(["ssh", ...sshd.options, "127.0.0.1", "sh", script], env);
      const row = await rowOf(test, "there");
      assert.deepEqual([row.host, row.placement?.rule, row.state], [
        "127.0.0.1",
        "capability",
        "running",
      ]);
      // Its pids are another system's: none of them was taken for one of ours.
      assert.equal((await listOf(test)).surfaces.length, 1);
      await hold.tell("x");
      hold.close();
      assert.equal((await child.status).code, 0);
      await Promise.all([child.stdout.cancel(), child.stderr.cancel(), child.stdin.close()]);
      await eventually(async () => (await listOf(test)).surfaces.length === 0);
    });
  },
);

Deno.test(
  { name: "a broken link is said, and what ran there is lost", ignore: !hasSshd() },
  async () => {
    await withSshd(async ({ test, stage, sshd, env }) => {
      const script = stage.script(
        "there.sh",
        `${stage.hook("claude-code", prompt)}\necho $PPID > ${stage.folder}/shell\nexec sleep 30\n`,
      );
      const child = spawnProgram(["ssh", ...sshd.options, "127.0.0.1", "sh", script], env);
      await rowOf(test, "there");
      // The connection's own sshd: the child of the listener that is above the remote shell.
      const pids = execFileSync("ps", ["-o", "pid=", "--ppid", String(sshd.pid)], {
        encoding: "utf8",
      });
      for (const pid of pids.split(/\s+/).filter((one) => one !== "")) {
        Deno.kill(Number(pid), "SIGKILL");
      }
      const stderr = await new Response(child.stderr).text();
      assert.equal((await child.status).code, 255);
      assert.match(stderr, /mytty: The link to "127\.0\.0\.1" broke/);
      await Promise.all([child.stdout.cancel(), child.stdin.close()]);
      const events = (await test.control.request("/v1/events")).body as {
        events: { kind: string }[];
      };
      assert.ok(events.events.some(({ kind }) => kind === "disconnected"));
      const { body } = await test.control.request("/v1/attention");
      assert.deepEqual((body as { items: { kind: string }[] }).items.map(({ kind }) => kind), [
        "disconnect",
      ]);
    });
  },
);

Deno.test(
  { name: "a command there that fails is left to see when ssh is over", ignore: !hasSshd() },
  async () => {
    await withSshd(async ({ test, stage, sshd, env }) => {
      const script = stage.script("there.sh", `${stage.hook("claude-code", prompt)}\nexit 6\n`);
      const words = ["ssh", ...sshd.options, "127.0.0.1", "sh", script];
      assert.equal((await runProgram(words, { env })).code, 6);
      const { body } = await test.control.request("/v1/list");
      const [row] = (body as { surfaces: PlaceJson[] }).surfaces;
      assert.deepEqual([row!.state, row!.message, row!.attention.length], [
        "failed",
        "Exit status 6",
        1,
      ]);
      assert.notEqual(row!.closedAt, null);
    });
  },
);

Deno.test({
  name: "a plain ssh -R works too: by session, marked with its host",
  ignore: !hasSshd(),
}, async () => {
  await withSshd(async ({ test, stage, sshd }) => {
    const there = `${stage.folder}/there.sock`;
    const hook = stage.hook("claude-code", prompt);
    const { code } = await new Deno.Command("ssh", {
      args: [
        ...sshd.options,
        ...["-R", `${there}:${test.paths.eventSocket}`, "127.0.0.1"],
        `export MYTTY_EVENT_SOCKET=${there} MYTTY_ORIGIN=build-box; ${hook}`,
      ],
    }).output();
    assert.equal(code, 0);
    const row = await rowOf(test, "there");
    assert.deepEqual([row.surfaceID, row.host], [null, "build-box"]);
  });
});

Deno.test("without a server mytty ssh says so and logs in all the same", async () => {
  await withServer(async (test) => {
    const folder = test.paths.state.replace(/\/state$/, "");
    writeExecutable(`${folder}/ssh`, '#!/bin/sh\necho "$*"\n');
    const env = programEnv(folder, {
      PATH: `${folder}:${Deno.env.get("PATH")}`,
      MYTTY_RUNTIME_DIR: `${folder}/none`,
    });
    const { stdout, stderr, code } = await runProgram(["ssh", "-p", "22", "box", "ls"], { env });
    assert.deepEqual([code, stdout], [0, "-p 22 box ls\n"]);
    assert.match(stderr, /logging in without reporting/);
  });
});

Deno.test("the words of ssh are read as ssh reads them", () => {
  const cases: [string, [string, string, string] | null][] = [
    ["box", ["", "box", ""]],
    ["-p 22 me@box ls -l", ["-p 22", "me@box", "ls -l"]],
    ["-p22 -vvA -J jump box", ["-p22 -vvA -J jump", "box", ""]],
    ["-vp 22 box", ["-vp 22", "box", ""]],
    ["-o A=b -4 ssh://me@box:22", ["-o A=b -4", "ssh://me@box:22", ""]],
    ["-p 22", null],
  ];
  for (const [line, wanted] of cases) {
    const found = sshWords(line.split(" "));
    const told = found && [found.options.join(" "), found.host, found.command.join(" ")];
    assert.deepEqual(told, wanted, line);
  }
  assert.deepEqual(["me@box", "ssh://me@box:22", "box"].map(hostName), ["box", "box", "box"]);
});

Deno.test("the remote command is one word for any login shell and keeps the exit status", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const socket = `${folder}/a 'b.sock`;
    Deno.writeTextFileSync(socket, "");
    const line = remoteCommand(socket, { MYTTY_ORIGIN: "x'y" }, [
      "echo",
      '"$MYTTY_ORIGIN"; exit 7',
    ]);
    const { code, stdout } = await new Deno.Command("sh", { args: ["-c", line] }).output();
    assert.deepEqual([code, new TextDecoder().decode(stdout)], [7, "x'y\n"]);
    assert.throws(() => Deno.statSync(socket), Deno.errors.NotFound);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
