/** 10,000 connections that say nothing, or begin and stop: honest ones are not held up by them. */

import assert from "node:assert/strict";
import { envelope, exchange, type SurfaceEnv, withFolder } from "../helpers/daemon.ts";
import { postHook, promptPayload } from "../helpers/hooks.ts";
import { rounds } from "../helpers/chance.ts";
import { type Crowd, openCrowd, residentKilobytes } from "./crowd.ts";
import { Victim } from "./victim.ts";

/** Of each kind, all kinds at once. */
const CROWD = 2_000 * rounds(1);
const HONEST = 20;
const MOST_GROWTH_KB = 200 * 1024;

type Case = { readonly what: string; readonly socket: string; readonly first: string };

const CASES: readonly Case[] = [
  { what: "silent on the event socket", socket: "event.sock", first: "" },
  { what: "with half a line on the event socket", socket: "event.sock", first: "{" },
  { what: "with half a head on the event socket", socket: "event.sock", first: "POST /v1/ho" },
  { what: "silent on the control socket", socket: "control.sock", first: "" },
  {
    what: "idle after an answer on the control socket",
    socket: "control.sock",
    first: "GET /v1/status HTTP/1.1\\r\\nhost: m\\r\\n\\r\\n",
  },
];

Deno.test("10,000 connections that hang about: honest events get through, all are closed, memory stays bounded", async () => {
  await withFolder(async (folder) => {
    const victim = await Victim.start(folder);
    try {
      const surface = await victim.openSurface();
      const before = await residentKilobytes(victim.pid);
      await holdOut(victim, { folder, surface });
      const after = await residentKilobytes(victim.pid);
      assert.ok(after < before + MOST_GROWTH_KB, `memory went from ${before} to ${after} kB`);
      assert.equal(victim.said(), "", "nothing to complain about");
    } finally {
      assert.equal((await victim.end()).code, 0);
    }
  });
});

/** One crowd after another comes, all of them stay; then come the honest. */
async function holdOut(
  victim: Victim,
  { folder, surface }: { folder: string; surface: SurfaceEnv },
): Promise<void> {
  const crowds: Crowd[] = [];
  try {
    for (const { socket, first } of CASES) {
      crowds.push(await openCrowd(`${folder}/run/${socket}`, CROWD, first));
    }
    const ids = Array.from({ length: HONEST }, () => crypto.randomUUID());
    await Promise.all(ids.map((id, index) => sendOne(victim, { id, surface, index })));
    for (const [index, { what, first }] of CASES.entries()) {
      const { size, closed } = crowds[index]!;
      assert.ok(size > 100, `${size} could be opened`);
      assert.equal(await closed, first.startsWith("GET") ? size : 0, what);
    }
    await victim.assertHolds(ids);
  } finally {
    for (const crowd of crowds) await crowd.end();
  }
}

async function sendOne(
  victim: Victim,
  { id, surface, index }: { id: string; surface: SurfaceEnv; index: number },
): Promise<void> {
  if (index % 2 === 0) {
    const line = envelope(surface, { id: { rawValue: id }, kind: "running" });
    return assert.match(await exchange(victim.eventSocket, line), /"ok":true/);
  }
  const body = promptPayload(`honest-${id}`);
  const reply = await postHook(victim.eventSocket, { headers: { "mytty-delivery": id }, body });
  assert.equal(reply.status, 200);
}
