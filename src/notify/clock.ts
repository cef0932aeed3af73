/** Time as the engine needs it; a test gives its own. */
export type NotifyClock = {
  /** Never goes back; milliseconds. */
  readonly steady: () => number;
  readonly wall: () => number;
  /** Minutes since local midnight. */
  readonly minuteOfDay: () => number;
  /** Returns the function that calls it off. */
  readonly after: (millis: number, task: () => void) => () => void;
};

export function realClock(): NotifyClock {
  return {
    steady: () => performance.now(),
    wall: () => Date.now(),
    minuteOfDay: () => {
      const now = new Date();
      return now.getHours() * 60 + now.getMinutes();
    },
    after: (millis, task) => {
      const timer = setTimeout(task, millis);
      return () => clearTimeout(timer);
    },
  };
}
