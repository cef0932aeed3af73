import assert from "node:assert/strict";
import net from "node:net";
import {
  envelope,
  exchange,
  type SurfaceEnv,
  type TestServer,
  withServer,
} from "../helpers/daemon.ts";
import { agentEvents, assertNoTrace, assertRefused } from "../helpers/events.ts";

const OK = '{"ok":true,"inserted":true}\n';

/** An envelope whose line, its newline not counted, has exactly `bytes` bytes. */
function lineOf(surface: SurfaceEnv, bytes: number): string {
  const short = envelope(surface, { message: "" });
  return envelope(surface, { message: "m".repeat(bytes - (short.length - 1)) });
}

type Visit = { readonly answer: string; readonly millis: number };

/** Connects, lets `act` write, and notes what came back and after how long it was closed. */
function visit(
  path: string,
  act: (socket: net.Socket) => void,
  { allowHalfOpen = false }: { allowHalfOpen?: boolean } = {},
): Promise<Visit> {
  return new Promise((resolve) => {
    const began = performance.now();
    let answer = "";
    const socket = net.connect({ path, allowHalfOpen }, () => act(socket));
    socket.setEncoding("utf8");
    socket.on("data", (part: string) => answer += part);
    socket.on("error", () => {});
    socket.on("end", () => allowHalfOpen && resolve({ answer, millis: performance.now() - began }));
    socket.on("close", () => resolve({ answer, millis: performance.now() - began }));
  });
}

Deno.test("a line of 65,536 bytes passes; one byte more is too large, terminated or not", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    const { eventSocket } = test.paths;
    assert.equal(await exchange(eventSocket, lineOf(surface, 65_536)), OK);
    await assertRefused(test, lineOf(surface, 65_537), "request-too-large");
    await assertRefused(test, lineOf(surface, 65_537).slice(0, -1), "request-too-large");
    await assertRefused(test, "x".repeat(5_000_000), "request-too-large", "5 MB of noise");
    assert.equal((await agentEvents(test.control)).length, 1);
    await assertNoTrace(test, [surface.capability]);
  });
});

Deno.test("an oversized sender that never ends reads its refusal and is closed in time", async () => {
  await withServer(async ({ paths }) => {
    const { answer } = await visit(paths.eventSocket, (socket) => {
      socket.write("y".repeat(65_537));
      const more = setInterval(() => socket.write("y".repeat(100)), 100);
      socket.on("close", () => clearInterval(more));
    }, { allowHalfOpen: true });
    assert.equal(answer, '{"ok":false,"error":"request-too-large"}\n');
  });
});

Deno.test("the end of the stream ends a line that has no newline", async () => {
  await withServer(async ({ paths, openSurface }) => {
    const line = envelope(await openSurface()).trimEnd();
    assert.equal(await exchange(paths.eventSocket, line), OK);
  });
});

Deno.test("a line feed is enough: the answer comes although the sender keeps its side open", async () => {
  await withServer(async ({ paths, openSurface }) => {
    const line = envelope(await openSurface());
    // One that is not answered before its deadline is closed without an answer.
    const { answer } = await visit(paths.eventSocket, (socket) => socket.write(line));
    assert.equal(answer, OK);
  });
});

Deno.test("a sender that has closed its writing side still reads the answer", async () => {
  await withServer(async ({ paths, openSurface }) => {
    const line = envelope(await openSurface()).trimEnd();
    const { answer } = await visit(paths.eventSocket, (socket) => socket.end(line), {
      allowHalfOpen: true,
    });
    assert.equal(answer, OK);
  });
});

Deno.test("a silent or half-told sender is closed without an answer after 2 seconds", async () => {
  await withServer(async (test) => {
    const { paths, openSurface, control } = test;
    const line = envelope(await openSurface());
    const visits = await Promise.all([
      visit(paths.eventSocket, () => {}),
      visit(paths.eventSocket, (socket) => socket.write(line.slice(0, 100))),
      visit(paths.eventSocket, (socket) => socket.write("POST /v1/hooks/claude-code HT")),
      visit(
        paths.eventSocket,
        (socket) => socket.write("POST /v1/hooks/codex HTTP/1.1\r\nhost: m\r\n\r\n"),
      ),
    ]);
    for (const { answer, millis } of visits.slice(0, 3)) {
      assert.equal(answer, "");
      assert.ok(millis > 1_500 && millis < 4_500, `closed after ${millis} ms`);
    }
    assert.deepEqual(await agentEvents(control), []);
  });
});

Deno.test("a trickling sender is closed without an answer after about 5 seconds in all", async () => {
  await withServer(async ({ paths, openSurface, control }) => {
    const line = envelope(await openSurface());
    const trickle = (bytes: string) =>
      visit(paths.eventSocket, (socket) => {
        let at = 0;
        const timer = setInterval(() => socket.write(bytes[at++ % bytes.length]!), 400);
        socket.on("close", () => clearInterval(timer));
      });
    const visits = await Promise.all([
      trickle(line.slice(0, -1)),
      trickle("POST /v1/hooks/claude-code HTTP/1.1\r\nhost: mytty\r\n"),
    ]);
    for (const { answer, millis } of visits) {
      assert.equal(answer, "");
      assert.ok(millis > 4_000 && millis < 8_500, `closed after ${millis} ms`);
    }
    assert.deepEqual(await agentEvents(control), []);
  });
});

Deno.test("an envelope cut at any boundary, inside characters too, is the same envelope", async () => {
  await withServer(async ({ paths, openSurface, control }) => {
    const surface = await openSurface();
    const message = "größer 🙂 界";
    const cuts = Array.from({ length: 24 }, (_, index) => index);
    await Promise.all(cuts.map(async (cut) => {
      const bytes = new TextEncoder().encode(envelope(surface, { message, sessionID: `s${cut}` }));
      const at = Math.round((bytes.length - 2) * (cut / 24)) + 1;
      const { answer } = await visit(paths.eventSocket, (socket) => {
        socket.write(bytes.subarray(0, at));
        setTimeout(() => socket.write(bytes.subarray(at)), 30);
      });
      assert.equal(answer, OK, `cut at ${at}`);
    }));
    const bytes = new TextEncoder().encode(envelope(surface, { message, sessionID: "bytes" }));
    const { answer } = await visit(paths.eventSocket, (socket) => {
      socket.setNoDelay(true);
      for (const byte of bytes) socket.write(Uint8Array.of(byte));
    });
    assert.equal(answer, OK, "byte by byte");
    for (const row of await agentEvents(control)) assert.equal(row.message, message);
  });
});

Deno.test("only the first line counts: what follows it is not an event", async () => {
  await withServer(async ({ paths, openSurface, control }) => {
    const surface = await openSurface();
    const both = envelope(surface, { message: "first" }) + envelope(surface, { message: "second" });
    assert.equal(await exchange(paths.eventSocket, both), OK);
    const rows = await agentEvents(control);
    assert.deepEqual(rows.map(({ message }) => message), ["first"]);
  });
});

Deno.test("binary noise and empty requests are refused or closed, and the server lives", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    for (const empty of ["", "\n", "\r\n", " \n", "\0\n"]) {
      await assertRefused(test, empty, "invalid-request", JSON.stringify(empty));
    }
    for (let round = 0; round < 20; round++) await noise(test, round);
    assert.equal(await exchange(test.paths.eventSocket, envelope(surface)), OK);
    assert.equal((await agentEvents(test.control)).length, 1);
  });
});

async function noise({ paths }: TestServer, round: number): Promise<void> {
  const bytes = crypto.getRandomValues(new Uint8Array(1 + round * 317));
  bytes[0] = round * 13;
  const { answer } = await visit(paths.eventSocket, (socket) => socket.end(bytes));
  assert.match(answer, /^\{"ok":false,"error":"invalid-request"\}\n$/);
}

Deno.test("what begins with a capital letter and is no request is answered as well", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    const refused = '{"ok":false,"error":"invalid-request"}\n';
    for (const line of ["Hello\n", "H", "HELLO WORLD\n", "POST", "PATCHES {}\n"]) {
      assert.equal(await exchange(test.paths.eventSocket, line), refused, line);
    }
    // Who does not say that it is all is answered once it cannot become a request.
    const open = await exchange(test.paths.eventSocket, "Hello\n", { end: false });
    assert.equal(open, refused);
    const malformed = [
      "POST /v1/hooks/codex HTTP/1.1\r\nno header\r\n\r\n",
      "POST /v1/hooks/codex HTTP/1.1\r\nhost: m\r\ncontent-length: many\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
    ];
    for (const request of malformed) {
      const answer = await exchange(test.paths.eventSocket, request, { end: false });
      assert.match(
        answer,
        /^HTTP\/1\.1 400 [^]*\r\n\r\n\{"ok":false,"error":"invalid-request"\}\n$/,
      );
    }
    assert.equal(await exchange(test.paths.eventSocket, envelope(surface)), OK);
  });
});

Deno.test("a sender that goes away in the middle hurts nobody", async () => {
  await withServer(async ({ paths, openSurface, control }) => {
    const surface = await openSurface();
    for (let round = 0; round < 50; round++) {
      await visit(paths.eventSocket, (socket) => {
        socket.write(envelope(surface).slice(0, 20 + round));
        socket.destroy();
      });
    }
    assert.equal(await exchange(paths.eventSocket, envelope(surface)), OK);
    assert.equal((await agentEvents(control)).length, 1);
  });
});

Deno.test("a server that was too busy to read does not close on what has come meanwhile", async () => {
  await withServer(async ({ paths, openSurface }) => {
    const line = envelope(await openSurface());
    const socket = net.connect(paths.eventSocket);
    let answer = "";
    socket.setEncoding("utf8").on("data", (part: string) => answer += part);
    socket.write(line.slice(0, 50));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.write(line.slice(50));
    // This process, server and all, does nothing else until the deadline is over.
    for (const end = performance.now() + 2_300; performance.now() < end;) { /* busy */ }
    await closed;
    assert.equal(answer, OK);
  });
});
