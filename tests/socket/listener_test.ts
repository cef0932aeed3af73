/** A listener that has gone deaf, and passing sockets of servers that were killed. */

import assert from "node:assert/strict";
import net from "node:net";
import { bindNet, type Bound, listenOn } from "../../src/socket/listener.ts";
import { exchange, withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";

function answering(text: string): net.Server {
  return net.createServer((socket) => socket.end(text));
}

/** Bound, but takes no connection: what a process out of descriptors is left with. */
function deaf(bound: Bound): Bound {
  return { ...bound, accepted: () => 0 };
}

Deno.test("a listener that takes no connections any more is made anew, and it is said once", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/a.sock`;
    const logged: string[] = [];
    let binds = 0;
    const bind = async (at: string) => {
      const bound = await bindNet(() => answering(`${binds}`))(at);
      return binds++ === 0 ? deaf(bound) : bound;
    };
    const listener = await listenOn(path, bind, (text) => logged.push(text));
    try {
      listener.suspect();
      await eventually(() => logged.length > 0, 20_000);
      assert.deepEqual(logged, [`re-created socket "${path}": it took no connections any more`]);
      assert.equal(await exchange(path, ""), "1");
      assert.equal(Deno.lstatSync(path).mode! & 0o777, 0o600);
      // One that hears is left alone, whoever suspects it.
      listener.suspect();
      await new Promise((resolve) => setTimeout(resolve, 3_500));
      assert.equal(logged.length, 1);
    } finally {
      await listener.close();
    }
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
});

Deno.test("a socket under a passing name goes once it is old; everything else stays", async () => {
  await withFolder(async (folder) => {
    const others: net.Server[] = [];
    for (const name of [".0123abcd", ".89abcdef"]) {
      const server = answering("");
      others.push(server);
      await new Promise<void>((resolve) => server.listen(`${folder}/${name}`, resolve));
    }
    Deno.writeTextFileSync(`${folder}/.00000000`, "no socket");
    const old = new Date(Date.now() - 10 * 60_000);
    for (const name of [".0123abcd", ".00000000"]) Deno.utimeSync(`${folder}/${name}`, old, old);
    const listener = await listenOn(`${folder}/a.sock`, bindNet(() => answering("")), () => {});
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assert.deepEqual(names, [".00000000", ".89abcdef", "a.sock"]);
    await listener.close();
    for (const server of others) await new Promise((resolve) => server.close(resolve));
  });
});
