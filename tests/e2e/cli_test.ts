/** The command contract of the built program: output, exit codes, error texts (design section 11). */

import assert from "node:assert/strict";
import http from "node:http";
import { fileURLToPath } from "node:url";
import type { PlaceJson } from "../../src/core/view/view_json.ts";
import { Built, withBuilt } from "../helpers/built.ts";
import { withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { writeExecutable } from "../helpers/executable.ts";

type Rows = { surfaces: PlaceJson[] };

type Opened = { readonly surfaceID: string; readonly env: Record<string, string> };

async function opened(built: Built, label: string): Promise<Opened> {
  const { stdout } = await built.mytty(["surface", "open", "--label", label, "--json"]);
  return JSON.parse(stdout);
}

async function surfaceEnv(built: Built, label: string): Promise<Record<string, string>> {
  return (await opened(built, label)).env;
}

Deno.test("--version names the form, --help lists every command, unknown words say the nearest", async () => {
  await withFolder(async (folder) => {
    const built = new Built(folder);
    assert.match(
      (await built.mytty(["--version"])).stdout,
      /^mytty \d+\.\d+\.\d+ \((compiled|portable)\)\n$/,
    );
    const help = await built.mytty(["--help"]);
    assert.equal(help.code, 0);
    const names = [...help.stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map((match) => match[1]!);
    assert.ok(names.length >= 10, help.stdout);
    for (const name of names) {
      const { code, stdout, stderr } = await built.mytty([name, "--help"]);
      assert.equal(code, 0, name);
      assert.match(stdout, /Usage: mytty/, name);
      assert.match(stdout, /Examples:/, name);
      assert.equal(stderr, "", name);
    }
    const unknown = await built.mytty(["lists"]);
    assert.equal(unknown.code, 2);
    assert.match(
      unknown.stderr,
      /^mytty: No command "lists", did you mean "list"\?; see mytty --help\n$/,
    );
  });
});

Deno.test("without a server: one line that says what to do, exit status 3", async () => {
  await withFolder(async (folder) => {
    const built = new Built(folder);
    for (const args of [["list"], ["attention"], ["events"], ["wait", "x", "--until", "idle"]]) {
      const { code, stdout, stderr } = await built.mytty(args);
      assert.equal(code, 3, args[0]);
      assert.equal(stdout, "");
      assert.match(
        stderr,
        /^mytty: No mytty serves ".*control\.sock"; start one with `mytty serve`\n$/,
      );
    }
  });
});

const STOPPED = /^mytty: The mytty at ".*control\.sock" stopped; start one with `mytty serve`\n$/;

Deno.test("a stream that loses its server: the same line and status, by whatever signal", async () => {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    await withBuilt(async (built) => {
      await surfaceEnv(built, "api");
      const streams = [["events", "--follow"], ["watch", "--json"]].map((args) =>
        built.start(args)
      );
      for (const stream of streams) await eventually(() => stream.stdout().includes("\n"));
      await built.stop(signal);
      for (const stream of streams) {
        assert.equal(await stream.code(), 3);
        assert.match(stream.stderr(), STOPPED);
        const lines = stream.stdout().trimEnd().split("\n");
        assert.ok(!lines.includes(""), "signs of life are not for the reader");
        assert.doesNotMatch(stream.stdout(), /"end"/);
      }
    });
  }
});

Deno.test("a wait that loses its server has not timed out: exit status 3", async () => {
  const endings: http.RequestListener[] = [
    (request) => request.socket.destroy(),
    (_request, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write('{"state":', () => response.destroy());
    },
  ];
  for (const ending of endings) {
    await withFolder(async (folder) => {
      const built = new Built(folder);
      Deno.mkdirSync(`${folder}/run`, { mode: 0o700 });
      const server = http.createServer(ending).listen(`${folder}/run/control.sock`);
      const { code, stdout, stderr } = await built.mytty(["wait", "api", "--until", "idle"]);
      assert.deepEqual([code, stdout], [3, ""], stderr);
      assert.match(stderr, STOPPED);
      await new Promise((resolve) => server.close(resolve));
    });
  }
});

Deno.test("usage errors exit with 2 and name the flag", async () => {
  await withBuilt(async (built) => {
    const cases: [string[], RegExp][] = [
      [["wait", "x"], /--until/],
      [["wait", "x", "--until", "never"], /idle, attention, finished, change/],
      [["wait", "--until", "idle"], /Say what to wait for/],
      [["wait", "x", "--until", "idle", "--timeout", "soon"], /--timeout takes seconds/],
      [["events", "--after", "-1"], /--after/],
      [["list", "--jsn"], /--jsn/],
      [["emit", "--kind", "started"], /--provider/],
      [["emit", "--provider", "a", "--kind", "idle"], /--kind takes/],
      [["attention", "ack"], /Give the ids/],
      [["surface", "open", "--pid", "x"], /--pid takes a whole number/],
      [["completions", "tcsh"], /bash, zsh, fish/],
    ];
    for (const [args, message] of cases) {
      const { code, stdout, stderr } = await built.mytty(args);
      assert.equal(code, 2, args.join(" "));
      assert.equal(stdout, "", args.join(" "));
      assert.match(stderr, message);
      assert.equal(stderr.trim().split("\n").length, 1, stderr);
    }
  });
});

Deno.test("a group by its bare name prints its help", async () => {
  await withFolder(async (folder) => {
    const built = new Built(folder);
    for (const name of ["surface", "config", "notify", "service"]) {
      const { code, stdout, stderr } = await built.mytty([name]);
      assert.deepEqual([code, stderr], [0, ""], name);
      assert.equal(stdout, (await built.mytty([name, "--help"])).stdout, name);
    }
    assert.match((await built.mytty(["surface", "opn"])).stderr, /unknown command 'opn'/);
  });
});

Deno.test("a socket path that is too long is named with its length by whoever would connect", async () => {
  await withFolder(async (folder) => {
    const built = new Built(folder);
    const long = `${folder}/${"x".repeat(100)}`;
    const env = { MYTTY_RUNTIME_DIR: long };
    const bytes = new TextEncoder().encode(`${long}/control.sock`).length;
    const said = new RegExp(`^mytty: Cannot use socket path: ".*" has ${bytes} bytes, the system`);
    for (const args of [["list"], ["surface", "open"], ["wait", "x", "--until", "idle"]]) {
      const { code, stderr } = await built.mytty(args, { env });
      assert.equal(code, 1, args[0]);
      assert.match(stderr, said);
    }
    const emit = ["emit", "--provider", "a", "--kind", "started"];
    const pane = { ...env, MYTTY_SURFACE_ID: crypto.randomUUID() };
    assert.match((await built.mytty(emit, { env: pane })).stderr, /event\.sock" has \d+ bytes/);
    const ran = await built.mytty(["run", "--", "sh", "-c", "exit 4"], { env });
    assert.equal(ran.code, 4);
    assert.match(ran.stderr, said);
  });
});

Deno.test("list --active with nothing active says so", async () => {
  await withBuilt(async (built) => {
    assert.match((await built.mytty(["list"])).stdout, /^No panes yet/);
    await surfaceEnv(built, "quiet");
    const { stdout } = await built.mytty(["list", "--active"]);
    assert.equal(stdout, "No agent is active; mytty list shows every pane.\n");
    assert.equal((await built.mytty(["list", "--active", "--explain"])).stdout, stdout);
  });
});

Deno.test("help COMMAND is that command's own help, at every depth", async () => {
  await withFolder(async (folder) => {
    const built = new Built(folder);
    for (const words of [["list"], ["surface", "open"], ["man"], ["completions"], ["hook"]]) {
      const asked = await built.mytty(["help", ...words]);
      const own = await built.mytty([...words, "--help"]);
      assert.deepEqual(asked, own);
      assert.match(asked.stdout, new RegExp(`^Usage: mytty ${words.join(" ")}`));
    }
    assert.match((await built.mytty(["help"])).stdout, /^Commands:$/m);
    const unknown = await built.mytty(["help", "lists"]);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /No command "lists", did you mean "list"/);
  });
});

Deno.test("a relative folder is refused by name, and nothing is written into the current one", async () => {
  await withFolder(async (folder) => {
    const built = new Built(folder);
    Deno.mkdirSync(`${folder}/cwd`);
    const cwd = `${folder}/cwd`;
    for (const name of ["MYTTY_RUNTIME_DIR", "MYTTY_STATE_DIR", "MYTTY_CONFIG"]) {
      for (const args of [["serve"], ["list"], ["install", "claude"], ["doctor"]]) {
        const { code, stderr } = await built.mytty(args, { env: { [name]: "some/where" }, cwd });
        assert.equal(code, 2, args[0]);
        assert.match(
          stderr,
          new RegExp(`^mytty: Refusing ${name}="some/where": it is relative, .*whole path\n$`),
        );
      }
      const env = { [name]: "some/where" };
      const hook = await built.mytty(["hook", "claude-code"], { env, cwd, stdin: "{}" });
      assert.deepEqual(hook, { code: 0, stdout: "", stderr: "" }, "an agent hears nothing of it");
    }
    assert.deepEqual([...Deno.readDirSync(cwd)], []);
  });
});

Deno.test("a check of no agents says why it fails", async () => {
  await withFolder(async (folder) => {
    const built = new Built(folder);
    for (const command of ["install", "status"]) {
      const { code, stderr } = await built.mytty([command, "--check"], {
        env: { PATH: "/nowhere" },
      });
      assert.equal(code, 1);
      assert.equal(stderr, "mytty: Nothing to check: no known agent is found on PATH\n");
    }
  });
});

Deno.test("run gives the command a surface, passes its exit status on, reports and closes", async () => {
  await withBuilt(async (built) => {
    const script = `test -n "$MYTTY_EVENT_CAPABILITY" && '${built.folder}/emit' && exit 7`;
    writeExecutable(
      `${built.folder}/emit`,
      `#!/bin/sh\nexec '${
        fileURLToPath(new URL("../../dist/mytty", import.meta.url))
      }' emit --provider my-agent --kind started >/dev/null\n`,
    );
    const { code } = await built.mytty(["run", "--label", "job", "--", "sh", "-c", script]);
    assert.equal(code, 7);
    const { stdout } = await built.mytty(["events", "--json"]);
    const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
    const told = events.map((event) => event.kind ?? event.type);
    assert.deepEqual(told, ["surface-opened", "started", "failed", "ended"]);
    assert.equal(events[2].hookName, "mytty.native.commandFinished");
    assert.equal(events[2].message, "Exit status 7");
    assert.match((await built.mytty(["list"])).stdout, /failed +my-agent +job \(ended\)/);
    assert.match((await built.mytty(["attention"])).stdout, /failed.* open +Exit status 7/);
    const { surfaceID, env } = await opened(built, "job");
    const emit = ["emit", "--provider", "my-agent", "--kind", "started"];
    await built.mytty(emit, { env });
    // The label means the pane that is open, and after it the one that is still listed.
    for (const closed of [surfaceID, events[0].surfaceID]) {
      assert.equal((await built.mytty(["surface", "close", "job"])).stdout, `Closed ${closed}\n`);
    }
    assert.match((await built.mytty(["attention"])).stdout, /Nothing needs you/);
    const { body } = await built.control.request("/v1/list");
    assert.deepEqual((body as Rows).surfaces, []);
  });
});

Deno.test("run without a server still runs the command; a missing program is 127", async () => {
  await withFolder(async (folder) => {
    const built = new Built(folder);
    const ran = await built.mytty(["run", "--", "sh", "-c", "echo out; exit 3"]);
    assert.deepEqual({ code: ran.code, stdout: ran.stdout }, { code: 3, stdout: "out\n" });
    assert.match(ran.stderr, /running without a surface\n$/);
    const missing = await built.mytty(["run", "--", "no-such-program"]);
    assert.equal(missing.code, 127);
    assert.match(missing.stderr, /Cannot run "no-such-program": no such program/);
  });
});

Deno.test("a command killed by a signal is lost, and its status is 128 + signal", async () => {
  await withBuilt(async (built) => {
    const { code } = await built.mytty(["run", "--", "sh", "-c", "kill -9 $$"]);
    assert.equal(code, 137);
  });
});

Deno.test("surface open prints export lines that a shell can evaluate; close revokes", async () => {
  await withBuilt(async (built) => {
    const opened = await built.mytty(["surface", "open", "--label", "it's one"]);
    assert.match(
      opened.stdout,
      /^export MYTTY_EVENT_SOCKET=\S+\nexport MYTTY_SURFACE_ID=\S+\nexport MYTTY_EVENT_CAPABILITY=[0-9a-f]{64}\n$/,
    );
    const env = Object.fromEntries(
      opened.stdout.trim().split("\n").map((line) => line.slice("export ".length).split("=")),
    );
    const emit = ["emit", "--provider", "my-agent", "--kind", "started"];
    assert.equal((await built.mytty(emit, { env })).stdout, '{"ok":true,"inserted":true}\n');
    assert.equal((await built.mytty(["surface", "close", "it's one"])).code, 0);
    const refused = await built.mytty(emit, { env });
    assert.equal(refused.code, 1);
    assert.equal(refused.stdout, '{"ok":false,"error":"unauthorized"}\n');
    assert.match((await built.mytty(emit)).stderr, /This is no surface/);
  });
});

Deno.test("wait is held until the state comes; --after makes an old one not count; 124 on time-out", async () => {
  await withBuilt(async (built) => {
    const env = await surfaceEnv(built, "api");
    const emit = (kind: string) =>
      built.mytty(["emit", "--provider", "my-agent", "--kind", kind], { env });
    await emit("started");
    const waiting = built.mytty([
      ...["wait", "api", "--until", "attention", "--timeout", "20"],
      "--json",
    ]);
    await emit("approval-requested");
    const met = JSON.parse((await waiting).stdout);
    assert.equal(met.state, "waiting-approval");
    assert.equal(met.timedOut, false);
    const args = ["wait", "api", "--until", "attention", "--timeout", "0.2"];
    const late = await built.mytty([...args, "--after", String(met.position)]);
    assert.equal(late.code, 124);
    assert.equal(JSON.parse(late.stdout).timedOut, true);
    await emit("succeeded");
    const finished = await built.mytty(["wait", "api", "--until", "finished", "--timeout", "20"]);
    assert.equal(JSON.parse(finished.stdout).state, "succeeded");
    const never = built.mytty(["wait", env.MYTTY_SURFACE_ID!, "--until", "attention"]);
    await built.mytty(["surface", "close", "api"]);
    const closed = await never;
    assert.deepEqual([closed.code, closed.stderr], [1, "mytty: The pane was closed\n"]);
    assert.equal(JSON.parse(closed.stdout).closed, true);
    const unknown = await built.mytty(["wait", "nowhere", "--until", "idle"]);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /No open surface has the id, label or pane "nowhere"/);
  });
});

Deno.test("attention lists, acknowledges by the id's beginning, and forgets nothing", async () => {
  await withBuilt(async (built) => {
    const env = await surfaceEnv(built, "api");
    const ask = ["emit", "--provider", "my-agent", "--kind", "approval-requested"];
    await built.mytty([...ask, "--message", "Deploy\u001b]0;x\u0007?", "--tool", "Bash"], { env });
    const { items } = JSON.parse((await built.mytty(["attention", "--json"])).stdout);
    assert.equal(items.length, 1);
    assert.equal(items[0].kind, "approval-request");
    const table = (await built.mytty(["attention"])).stdout;
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(table, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    const acked = await built.mytty(["attention", "ack", items[0].id.slice(0, 8), "--json"]);
    assert.deepEqual(JSON.parse(acked.stdout).acknowledged, [items[0].id]);
    assert.match((await built.mytty(["attention"])).stdout, /Nothing needs you/);
    const all = JSON.parse((await built.mytty(["attention", "--all", "--json"])).stdout);
    assert.notEqual(all.items[0].acknowledgedAt, null);
    assert.equal((await built.mytty(["attention", "ack", "ffffffff"])).code, 1);
  });
});

Deno.test("events of one run, and --explain says why one changed nothing", async () => {
  await withBuilt(async (built) => {
    const env = await surfaceEnv(built, "api");
    const run = crypto.randomUUID();
    const emit = (kind: string) =>
      built.mytty(["emit", "--provider", "my-agent", "--kind", kind, "--run", run], { env });
    await emit("started");
    await emit("succeeded");
    await emit("disconnected");
    const explained = await built.mytty(["events", "--run", run, "--explain"]);
    assert.match(explained.stdout, /disconnected .*not applied: the run had already ended/);
    const rows = (await built.mytty(["events", "--run", run, "--json"])).stdout.trim().split("\n");
    assert.deepEqual(rows.map((row) => JSON.parse(row).applied), [true, true, false]);
  });
});

Deno.test("SIGTERM ends the server with 0, and what was acknowledged is there after a restart", async () => {
  await withBuilt(async (built) => {
    const env = await surfaceEnv(built, "api");
    await built.mytty(["emit", "--provider", "my-agent", "--kind", "started"], { env });
    assert.equal((await built.stop("SIGTERM"))?.code, 0);
    await built.serve();
    // The capability outlives the server: agents that were running go on reporting.
    const emit = ["emit", "--provider", "my-agent", "--kind", "succeeded"];
    assert.equal((await built.mytty(emit, { env })).stdout, '{"ok":true,"inserted":true}\n');
    const { body } = await built.control.request("/v1/list");
    assert.equal((body as Rows).surfaces[0]?.state, "succeeded");
  });
});
