/** Where the launcher has no curl, or no place for a file: the program itself, if that costs nothing. */

import assert from "node:assert/strict";
import { writeExecutable } from "../helpers/executable.ts";
import {
  type Place,
  PROGRAM,
  type Ran,
  runTransport,
  SHELLS,
  spooled,
  stageLauncher,
  startHookServer,
  type Transport,
  withPlace,
} from "../helpers/hook_runner.ts";

const PAYLOAD = '{"hook_event_name":"Stop","session_id":"s"}';
const HOOK = { args: ["gemini", "--event", "Stop"], stdin: PAYLOAD };

/** Whatever became of the event: the agent's answer once, and nothing else. */
function answered({ code, stdout, stderr }: Ran): void {
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "{}\n", stderr: "" });
}

/** A program that answers like ours, and keeps what it was started with. */
function putProgram({ folder }: Place): string {
  const program = `${folder}/my tty`;
  const script = `#!/bin/sh
exec >"$0.said"
printf '%s|' "$@"
echo "$MYTTY_STATE_DIR|$MYTTY_EVENT_SOCKET|$MYTTY_HOOK_PID|$MYTTY_NO_UNPACK"
exec /bin/cat
`;
  writeExecutable(program, script);
  return program;
}

function each(name: string, task: (transport: Transport, place: Place) => Promise<void>): void {
  for (const transport of SHELLS) {
    Deno.test(`${transport.name}: ${name}`, () => withPlace((place) => task(transport, place)));
  }
}

each("without curl the program is asked, told where everything is", async (transport, place) => {
  const program = putProgram(place);
  await stageLauncher(place, { hasCurl: false, program: [program, "run"] });
  answered(await runTransport(transport, place, HOOK));
  assert.equal(spooled(place).length, 1, "without a server no runtime is started");
  const other = `${place.folder}/other.sock`;
  const servers = await Promise.all(
    [place.socket, other].map((path) => startHookServer(path, "answers")),
  );
  const said = (socket: string) =>
    `run|hook|gemini|--event|Stop|${place.state}|${socket}|${Deno.pid}|1\n${PAYLOAD}`;
  const bare = { MYTTY_STATE_DIR: "", MYTTY_EVENT_SOCKET: "" };
  for (
    const [env, socket] of [[bare, place.socket], [{ MYTTY_EVENT_SOCKET: other }, other]] as const
  ) {
    answered(await runTransport(transport, place, { ...HOOK, env }));
    assert.equal(Deno.readTextFileSync(`${program}.said`), said(socket));
  }
  await Promise.all(servers.map((server) => server.close()));
  assert.equal(spooled(place).length, 1);
});

const BROKEN = {
  "fails before it reads": '#!/bin/sh\necho out; echo "cannot unpack" >&2; exit 1\n',
  "has no interpreter": "#!/nowhere/sh\n",
  "kills itself": "#!/bin/sh\nkill -9 $$\n",
};

for (const [what, script] of Object.entries(BROKEN)) {
  each(
    `without curl, and with a program that ${what}, the spool keeps the event`,
    async (transport, place) => {
      const program = `${place.folder}/mytty`;
      writeExecutable(program, script);
      await stageLauncher(place, { hasCurl: false, program: [program] });
      const server = await startHookServer(place.socket, "answers");
      answered(await runTransport(transport, place, HOOK));
      const [kept] = spooled(place);
      assert.equal(new TextDecoder().decode(kept!.payload), PAYLOAD);
      // With no place for the event there is nothing left to try.
      const env = { MYTTY_STATE_DIR: "/dev/null/state" };
      answered(await runTransport(transport, place, { ...HOOK, env }));
      await server.close();
    },
  );
}

each(
  "without curl a test is the program's, with what it says and its status",
  async (transport, place) => {
    const program = `${place.folder}/mytty`;
    writeExecutable(program, '#!/bin/sh\necho "mytty hook: $*" >&2\nexit 1\n');
    await stageLauncher(place, { hasCurl: false, program: [program] });
    const args = [...HOOK.args, "--test"];
    const { code, stdout, stderr } = await runTransport(transport, place, { ...HOOK, args });
    assert.deepEqual([code, stdout], [1, ""]);
    assert.equal(stderr, "mytty hook: hook gemini --event Stop --test\n");
  },
);

each(
  "the program names the agent, not the launcher between them, as the caller",
  async (transport, place) => {
    await stageLauncher(place, { hasCurl: false, program: PROGRAM.command(place).slice(0, -1) });
    const server = await startHookServer(place.socket, "answers");
    // A busy machine may leave the program no time to send: its spool says the same.
    answered(await runTransport(transport, place, HOOK));
    await server.close();
    const pids = [
      ...server.received.map(({ headers }) => Number(headers["mytty-pid"])),
      ...spooled(place).map(({ request }) => request.pid),
    ];
    assert.deepEqual([...new Set(pids)], [Deno.pid]);
  },
);
