/** Ends a program that was started in a session of its own, with everything that it started. */

/** What is being started while we look is found at the second look. */
const LOOKS = 3;

/**
 * Its group first. A wrapper may have put a child into another one (`timeout` does, a shell with job
 * control too); where the system lists processes as files, the session finds those as well.
 */
export function endProgram(pid: number): void {
  kill(-pid);
  for (let look = 0; look < LOOKS; look++) {
    const left = membersOf(pid);
    if (left.length === 0) return;
    left.forEach(kill);
  }
}

function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}

/** Living processes of a session; none where `/proc` is not there to tell. */
function membersOf(session: number): number[] {
  try {
    return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name))
      .filter((pid) => pid > 0 && isMember(pid, session));
  } catch {
    return [];
  }
}

function isMember(pid: number, session: number): boolean {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name before the last parenthesis may hold anything.
    const [state, , , sid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(sid) === session && state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}
