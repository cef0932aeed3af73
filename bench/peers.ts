/**
 * Beside what people use instead: hooks in Node, Python and bash with jq that post to a Bun server
 * with SQLite. The same payload, the same machine, in turns; the peers are our own small
 * equivalents of the popular shape (bench/peers/).
 */

import { fileURLToPath } from "node:url";
import type { Built } from "../tests/helpers/built.ts";
import { type Candidate, compare } from "./hook.ts";
import { installedCommand } from "./launcher.ts";
import {
  envelopeBytes,
  fixed,
  openPane,
  type Result,
  sendEvent,
  withServed,
  withTemporary,
} from "./measure.ts";

const BUN = "1.4.5";
const CONNECTIONS = 32;
const EVENTS = 3_200;

/** From npm, kept in the user's cache. */
function findBun(): string {
  const cache = Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`;
  const folder = `${cache}/mytty-bench/bun-${BUN}`;
  const bun = `${folder}/node_modules/.bin/bun`;
  try {
    Deno.statSync(bun);
  } catch {
    console.error(`installing bun@${BUN} …`);
    const args = ["install", "--no-audit", "--no-fund", "--prefix", folder, `bun@${BUN}`];
    const { success, stderr } = new Deno.Command("npm", { args }).outputSync();
    if (!success) throw new Error(`Cannot install Bun: ${new TextDecoder().decode(stderr)}`);
  }
  return bun;
}

function peerFile(name: string): string {
  return fileURLToPath(new URL(`peers/${name}`, import.meta.url));
}

type Peer = { readonly port: number; readonly pid: number };

async function withPeer<T>(
  folder: string,
  synchronous: "NORMAL" | "FULL",
  task: (peer: Peer) => Promise<T>,
): Promise<T> {
  const child = new Deno.Command(findBun(), {
    args: [peerFile("server.js"), `${folder}/peer-${synchronous}.sqlite`, synchronous],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  try {
    const { value } = await reader.read();
    const port = Number(new TextDecoder().decode(value));
    return await task({ port, pid: child.pid });
  } finally {
    child.kill("SIGKILL");
    await reader.cancel();
    await child.status;
  }
}

function candidates(command: string, { port }: Peer): Candidate[] {
  const url = `http://127.0.0.1:${port}/events`;
  const python = new Deno.Command("python3", { args: ["-c", "import sys; print(sys.executable)"] });
  return [
    { name: "mytty", argv: ["sh", "-c", command] },
    { name: "Node", argv: ["node", peerFile("hook.mjs"), url] },
    {
      name: "Python",
      argv: [
        // Not a version manager's shim, which costs more than the hook.
        new TextDecoder().decode(python.outputSync().stdout).trim(),
        peerFile("hook.py"),
        url,
      ],
    },
    { name: "bash + jq", argv: ["bash", peerFile("hook.sh"), url] },
  ];
}

/** One connection per event, as hooks make them. */
async function postEvent({ port }: Peer, bytes: Uint8Array): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  const buffer = new Uint8Array(1024);
  const length = await connection.read(buffer);
  const answer = new TextDecoder().decode(buffer.subarray(0, length ?? 0));
  if (!answer.startsWith("HTTP/1.1 200")) throw new Error(`Unexpected answer: ${answer}`);
}

function postBytes(): Uint8Array {
  const payload = { message: "A message of a usual length, as an agent's hook would send it" };
  const event = { source: "bench", session: crypto.randomUUID(), kind: "PostToolUse", payload };
  const body = JSON.stringify(event);
  const head = `POST /events HTTP/1.1\r\nhost: b\r\nconnection: close\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  return new TextEncoder().encode(head + body);
}

async function rateOf(send: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    for (let at = 0; at < EVENTS / CONNECTIONS; at++) await send();
  }));
  return EVENTS / (performance.now() - from) * 1_000;
}

async function ownRate(built: Built): Promise<number> {
  const pane = await openPane(built);
  const runID = crypto.randomUUID();
  const socket = `${built.folder}/run/event.sock`;
  return await rateOf(() => sendEvent(socket, envelopeBytes(pane, runID)));
}

function rateResult(own: number, theirs: number, what: string): Result {
  return {
    work: `durable events, ${CONNECTIONS} connections, against ${what}`,
    measured: `${fixed(own)}/s against ${fixed(theirs)}/s`,
    ratio: own / theirs,
    bar: {},
  };
}

export function benchPeers(): Promise<Result[]> {
  return withTemporary((folder) =>
    withServed(folder, async (built) => {
      const command = await installedCommand(built);
      const times = await withPeer(
        folder,
        "NORMAL",
        (peer) => compare(built, candidates(command, peer)),
      );
      const mine = times.get("mytty")!;
      const hooks = [...times].filter(([name]) => name !== "mytty").map(([name, time]) => ({
        work: `installed hook command, against a hook in ${name}`,
        measured: `${fixed(mine)} ms against ${fixed(time)} ms`,
        ratio: mine / time,
        bar: { most: 1 },
      }));
      // Each once unmeasured, then in turns.
      await ownRate(built);
      const own = await ownRate(built);
      const post = (peer: Peer) => rateOf(() => postEvent(peer, postBytes()));
      const measure = async (peer: Peer) => (await post(peer), await post(peer));
      const full = await withPeer(`${folder}`, "FULL", measure);
      const normal = await withPeer(`${folder}/run`, "NORMAL", measure);
      return [
        ...hooks,
        rateResult(own, full, "Bun + SQLite, as durable as ours"),
        rateResult(own, normal, "Bun + SQLite as usual (a crash of the machine loses the last)"),
      ];
    })
  );
}
