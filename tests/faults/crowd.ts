/** Thousands of connections from a process of their own: nobody else's descriptors are used up. */

const SCRIPT = `
import resource, select, socket, sys
path, wanted, first = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode().decode("unicode_escape").encode()
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
room = wanted + 100
if soft < room:
    resource.setrlimit(resource.RLIMIT_NOFILE, (room if hard == resource.RLIM_INFINITY else min(room, hard), hard))
    wanted = min(wanted, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100)
poll, members = select.poll(), {}
for _ in range(wanted):
    member = socket.socket(socket.AF_UNIX)
    member.connect(path)
    if first: member.send(first)
    members[member.fileno()] = member
    poll.register(member, select.POLLIN)
print("open", len(members), flush=True)
answered = set()
while members:
    for number, _ in poll.poll(1000):
        try: data = members[number].recv(65536)
        except OSError: data = b""
        if data:
            answered.add(number)
            continue
        poll.unregister(number)
        members.pop(number).close()
print("closed", len(answered), flush=True)
`;

export type Crowd = {
  readonly size: number;
  /** When the server has closed all of them: how many were told anything before. */
  readonly closed: Promise<number>;
  readonly end: () => Promise<void>;
};

/** Opens `size` connections, each of which sends `first` and then nothing. */
export async function openCrowd(path: string, size: number, first = ""): Promise<Crowd> {
  const child = new Deno.Command("python3", {
    args: ["-c", SCRIPT, path, String(size), first],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = linesOf(child.stdout);
  const opened = await lines.next();
  if (opened.value === undefined) throw new Error("The crowd could not be opened");
  return {
    size: Number(opened.value.split(" ")[1]),
    closed: lines.next().then(({ value }) => Number(value?.split(" ")[1])),
    end: async () => {
      try {
        child.kill("SIGKILL");
      } catch {
        // It ended by itself.
      }
      await child.status;
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream() as never)) {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** Kilobytes that the process has in memory. */
export async function residentKilobytes(pid: number): Promise<number> {
  const command = new Deno.Command("ps", { args: ["-o", "rss=", "-p", String(pid)] });
  return Number(new TextDecoder().decode((await command.output()).stdout));
}
