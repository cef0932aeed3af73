/**
 * What the program leaves on a machine: only the files that docs/operations.md names, no capability
 * in any of them or in an argument list, and nothing at all once everything is taken out again.
 */

import assert from "node:assert/strict";
import { BUILT, Built } from "../helpers/built.ts";
import { envelope, exchange, withFolder } from "../helpers/daemon.ts";
import { writeExecutable } from "../helpers/executable.ts";
import { treeOf } from "../helpers/tree.ts";

const OPERATIONS = new URL("../../docs/operations.md", import.meta.url);
const CONFIG = '{\n  "model": "opus"\n}\n';

type Pane = { readonly surfaceID: string; readonly capability: string };

/** A home with two agents on PATH, a curl that writes down what it is given, and a server. */
class Machine {
  readonly built: Built;
  readonly folder: string;
  #server: Deno.ChildProcess | undefined;

  constructor(folder: string) {
    this.folder = folder;
    this.built = new Built(folder);
    const { env } = this.built;
    for (const [name, version] of [["claude", "2.1.332"], ["codex", "0.171.0"]]) {
      writeExecutable(`${folder}/bin/${name}`, `#!/bin/sh\necho "${version}"\n`);
    }
    env.PATH = `${folder}/bin:${env.PATH}`;
    Deno.mkdirSync(`${folder}/.claude`);
    Deno.writeTextFileSync(`${folder}/.claude/settings.json`, CONFIG);
    Deno.writeTextFileSync(
      `${folder}/config.jsonc`,
      '{"notify":{"channels":{"desktop":{"enabled":false}}}}',
    );
    env.MYTTY_CONFIG = `${folder}/config.jsonc`;
  }

  /** The launcher's curl writes down its arguments from now on. */
  watchCurl(): void {
    const launcher = `${this.folder}/state/hooks/mytty-hook`;
    const text = Deno.readTextFileSync(launcher);
    const [line, real] = /^curl=(\S+)$/m.exec(text)!;
    const standIn = `${this.folder}/bin/curl`;
    const script = `#!/bin/sh\nprintf '%s\\n' "$*" >> "$0.asked"\nexec ${real} "$@"\n`;
    writeExecutable(standIn, script);
    writeExecutable(launcher, text.replace(line, `curl=${standIn}`));
  }

  async serve(): Promise<void> {
    this.#server = new Deno.Command("/bin/sh", {
      args: [
        "-c",
        `exec "$0" serve --no-estimate --no-watch 2>>"$1"`,
        BUILT,
        `${this.folder}/bin/serve.log`,
      ],
      env: this.built.env,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
    }).spawn();
    const reader = this.#server.stdout.getReader();
    await reader.read();
    reader.releaseLock();
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.kill("SIGTERM");
    await server.stdout.cancel();
    await server.status;
  }

  async run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.built.mytty(args);
    assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  async hook(
    pane: Pane | null,
    event: string,
    fields: Record<string, unknown> = {},
  ): Promise<void> {
    const payload = {
      hook_event_name: event,
      session_id: "s-1",
      prompt_id: "p",
      cwd: "/",
      ...fields,
    };
    const claim = pane === null ? {} : {
      MYTTY_SURFACE_ID: pane.surfaceID,
      MYTTY_EVENT_CAPABILITY: pane.capability,
    };
    const child = new Deno.Command(`${this.folder}/state/hooks/mytty-hook`, {
      args: ["claude-code"],
      env: { ...this.built.env, ...claim },
      clearEnv: true,
      stdin: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(JSON.stringify(payload)));
    await writer.close();
    assert.equal((await child.status).code, 0);
  }

  async openPane(): Promise<Pane> {
    const { surfaceID, env } = JSON.parse(
      await this.run("surface", "open", "--label", "a", "--json"),
    );
    return { surfaceID, capability: env.MYTTY_EVENT_CAPABILITY };
  }
}

/** A day in the life: installed, served, told of work, asked, stopped, and told once more. */
async function liveADay(machine: Machine): Promise<Pane> {
  await machine.serve();
  await machine.run("install", "claude", "codex");
  machine.watchCurl();
  const pane = await machine.openPane();
  await machine.hook(pane, "UserPromptSubmit");
  await machine.hook(pane, "PermissionRequest", { tool_name: "Bash", tool_input: {} });
  await machine.hook(pane, "not-an-event");
  const socket = `${machine.folder}/run/event.sock`;
  assert.match(await exchange(socket, envelope(pane)), /"ok":true/);
  await exchange(socket, envelope(pane, { kind: "no-kind" }));
  for (const command of ["list", "attention", "events", "status", "doctor", "notifications"]) {
    await machine.built.mytty([command]);
  }
  await machine.run("tmux", "--install");
  await machine.built.mytty(["service", "install"]);
  // What is kept every few seconds is kept at the end as well.
  await machine.stop();
  await machine.hook(pane, "Stop");
  return pane;
}

/** Names between backquotes in the table of files; `PID`, `HASH` and the like stand for any word. */
function namedFiles(): RegExp[] {
  const [, table] = Deno.readTextFileSync(OPERATIONS).split("\n## Files\n");
  const rows = table!.split("\n## ")[0]!.matchAll(/^\| (`.+?) +\|/gm);
  return [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`([^`]+)`/g)]).map(([, name]) => {
    const path = name!.replace("~/", "").replace(/[.+*?()[\]{}|\\^$]/g, "\\$&");
    const any = path.replace(/\b[A-Z]{3,}\b/g, "[^/]+");
    // "-wal" goes with the name before it; a folder with what is in it.
    return new RegExp(
      any.startsWith("-") ? `${any}$` : `(^|/)${any}${any.endsWith("/") ? "" : "$"}`,
    );
  });
}

Deno.test("only files that docs/operations.md names are written, and no capability is in any", async () => {
  await withFolder(async (folder) => {
    const machine = new Machine(folder);
    try {
      const pane = await liveADay(machine);
      const named = namedFiles();
      assert.ok(named.length > 20);
      const theirs = /^\/(bin|\.claude|\.codex|\.tmux\.conf|config\.jsonc)/;
      const files = [...treeOf(folder).keys()].filter((path) =>
        !theirs.test(path) && Deno.lstatSync(folder + path).isFile
      );
      assert.ok(files.length > 8, files.join(" "));
      for (const path of files) {
        assert.ok(
          named.some((name) => name.test(path)),
          `docs/operations.md does not name ${path}`,
        );
      }
      assert.match(treeOf(folder).get("/bin/curl.asked")!, /--unix-socket/);
      for (const [path, held] of treeOf(folder)) {
        assert.ok(!held.includes(pane.capability), `the capability is in ${path}`);
      }
    } finally {
      await machine.stop();
    }
  });
});

Deno.test("after the steps of docs/operations.md nothing is left, and configs are what they were", async () => {
  await withFolder(async (folder) => {
    const machine = new Machine(folder);
    const before = treeOf(folder);
    try {
      await liveADay(machine);
      await machine.run("uninstall", "--all");
      await machine.run("tmux", "--uninstall");
      await machine.run("service", "uninstall");
      for (const path of ["state", "run"]) {
        Deno.removeSync(`${folder}/${path}`, { recursive: true });
      }
      const after = treeOf(folder);
      for (const tree of [before, after]) {
        for (
          const path of ["/bin/curl", "/bin/curl.asked", "/bin/serve.log", "/.config", "/.cache"]
        ) {
          tree.delete(path);
        }
      }
      assert.deepEqual(after, before);
      assert.equal(Deno.readTextFileSync(`${folder}/.claude/settings.json`), CONFIG);
    } finally {
      await machine.stop();
    }
  });
});
