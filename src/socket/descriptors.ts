/**
 * Being out of descriptors: nothing can be opened or accepted then, and hardly anything fails aloud.
 * It is said once when it begins and once when it is over.
 */

const WATCH_MS = 1_000;

export type DescriptorWatch = { readonly stop: () => void };

export function watchDescriptors(
  log: (text: string) => void,
  onOver: () => void,
): DescriptorWatch {
  let isShort = false;
  function look(): void {
    const was = isShort;
    isShort = isOut();
    if (isShort && !was) {
      log("out of file descriptors: connections wait and hooks go to the spool; see ulimit -n");
    } else if (was && !isShort) {
      log("there are file descriptors again");
      onOver();
    }
  }
  const timer = setInterval(look, WATCH_MS);
  return { stop: () => clearInterval(timer) };
}

function isOut(): boolean {
  try {
    Deno.openSync("/dev/null").close();
    return false;
  } catch (error) {
    const { code } = error as { code?: string };
    return code === "EMFILE" || code === "ENFILE";
  }
}
