/**
 * A folder on a disk that is soon full: a small memory file system where we may mount one, else a
 * limit on the size of each file that the server may write.
 */

export type SmallDisk = {
  /** Put before the server's command, so that the limit holds for it. */
  readonly prefix: readonly string[];
  /** Uses up what is left. */
  readonly fill: () => void;
  /** Gives it back; false when only a new server, started without the prefix, has the space. */
  readonly giveBack: () => boolean;
};

const SIZE = "2m";
/** In blocks of 512 bytes: the database and its write-ahead log may not pass 256 KiB each. */
const LIMITED = ["/bin/sh", "-c", 'trap "" XFSZ; ulimit -f 512; exec "$@"', "sh"];

export async function withSmallDisk(
  folder: string,
  task: (disk: SmallDisk) => Promise<void>,
): Promise<void> {
  const isMounted = await run("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", folder]);
  if (!isMounted) return await task({ prefix: LIMITED, fill: () => {}, giveBack: () => false });
  try {
    await task({
      prefix: [],
      fill: () => fill(`${folder}/filler`),
      giveBack: () => {
        Deno.removeSync(`${folder}/filler`);
        return true;
      },
    });
  } finally {
    await run("umount", ["-l", folder]);
  }
}

function fill(path: string): void {
  const file = Deno.openSync(path, { write: true, create: true, append: true });
  const chunk = new Uint8Array(4_096).fill(1);
  try {
    for (;;) if (file.writeSync(chunk) === 0) break;
  } catch {
    // No space left on the device: that is what was wanted.
  } finally {
    file.close();
  }
}

async function run(command: string, args: string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(command, { args }).output()).success;
  } catch {
    return false; // No such program here.
  }
}
