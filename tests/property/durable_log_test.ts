/** The real log and mailbox: duplicates change nothing, a restart gives the same state. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { LogEntry } from "../../src/core/log/event.ts";
import { replay } from "../../src/core/log/reduce.ts";
import { prunable } from "../../src/core/log/retention.ts";
import { initialState, type State } from "../../src/core/log/state.ts";
import { EventLog } from "../../src/socket/event_log.ts";
import { Mailbox } from "../../src/socket/mailbox.ts";
import { snapshot } from "../core/log.ts";
import { visible } from "../core/retention_view.ts";
import { settledSteps, type Step, steps } from "./arbitraries.ts";

type Daemon = { readonly log: EventLog; readonly mailbox: Mailbox; now: number };

/** Runs `use` with a daemon's log and mailbox on a database of its own. */
async function withDaemon(use: (daemon: Daemon, path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "mytty-log-" });
  const path = `${folder}/log.db`;
  const log = new EventLog(path);
  const daemon: Daemon = {
    log,
    mailbox: new Mailbox({
      state: initialState(),
      log,
      now: () => daemon.now,
      publish: () => {},
    }),
    now: 0,
  };
  try {
    await use(daemon, path);
  } finally {
    log.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function submit(daemon: Daemon, all: readonly Step[]): Promise<void> {
  for (const { entry, after } of all) {
    daemon.now += after;
    await daemon.mailbox.submit(() => ({ entries: [entry] }));
  }
}

function restarted(log: EventLog): State {
  return replay(initialState(), log.all(() => assert.fail("a damaged row")));
}

/** A duplicate may cost a number: positions only ever say which came first. */
function unnumbered(state: State): unknown {
  const { position: _, ...rest } = snapshot(state) as Record<string, unknown>;
  return JSON.parse(JSON.stringify(rest, (key, value) => {
    return /^(position|statePosition)$/.test(key) ? undefined : value;
  }));
}

const RUNS = { numRuns: 15 };

Deno.test("an id that is sent again is stored once, and changes nothing, whatever it says then", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.array(fc.nat(), { maxLength: 10 }), async (all, picks) => {
      await withDaemon(async (once) => {
        await submit(once, all);
        await withDaemon(async (twice) => {
          await submit(twice, all);
          const count = twice.log.count();
          const before = structuredClone(snapshot(twice.mailbox.state));
          for (const pick of picks) {
            const first = all[pick % Math.max(1, all.length)]?.entry;
            if (first === undefined) continue;
            const other = all[(pick * 7) % all.length]!.entry;
            const changed = { ...other, id: first.id } as LogEntry;
            for (const entry of [first, changed]) {
              const answer = await twice.mailbox.submit(() => ({ entries: [entry, entry] }));
              assert.deepEqual(answer, { inserted: false, applied: [] });
            }
          }
          assert.equal(twice.log.count(), count);
          assert.deepEqual(snapshot(twice.mailbox.state), before);
          assert.deepEqual(snapshot(twice.mailbox.state), snapshot(once.mailbox.state));
        });
      });
    }),
    RUNS,
  );
});

Deno.test("a retry in the midst of others gives the state of one delivery", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await withDaemon(async (plain) => {
        await submit(plain, all);
        await withDaemon(async (retried) => {
          for (const step of all) {
            await submit(retried, [step, { ...step, after: 0 }]);
          }
          const [one, other] = [retried, plain].map(({ mailbox }) => unnumbered(mailbox.state));
          assert.deepEqual(one, other);
        });
      });
    }),
    RUNS,
  );
});

Deno.test("a restart replays the log to what was seen before", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await withDaemon(async (daemon, path) => {
        await submit(daemon, all);
        const reopened = new EventLog(path);
        try {
          assert.deepEqual(visible(restarted(reopened)), visible(daemon.mailbox.state));
        } finally {
          reopened.close();
        }
      });
    }),
    RUNS,
  );
});

Deno.test("what arrives together is the same as what arrives one by one", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const entries = all.map(({ entry }) => entry);
      await withDaemon(async (single) => {
        await submit(single, all.map(({ entry }) => ({ entry, after: 0 })));
        await withDaemon(async (batch) => {
          await Promise.all(
            entries.map((entry) => batch.mailbox.submit(() => ({ entries: [entry] }))),
          );
          assert.deepEqual(snapshot(batch.mailbox.state), snapshot(single.mailbox.state));
        });
      });
    }),
    RUNS,
  );
});

Deno.test("one job of a batch that fails leaves no trace, and the others are kept", async () => {
  await withDaemon(async ({ mailbox, log }) => {
    const [first, second] = fc.sample(steps.filter((all) => all.length > 3), 2) as Step[][];
    const good = mailbox.submit(() => ({ entries: first!.map(({ entry }) => entry) }));
    const bad = mailbox.submit((state) => {
      assert.notEqual(state.position, 0);
      throw new Error("No");
    });
    const last = mailbox.submit(() => ({ entries: second!.map(({ entry }) => entry) }));
    await assert.rejects(bad, /^Error: No$/);
    assert.ok("inserted" in await good && "inserted" in await last);
    assert.deepEqual(visible(restarted(log)), visible(mailbox.state));
  });
});

Deno.test("a restart after old runs were forgotten shows what was shown before it", async () => {
  await fc.assert(
    fc.asyncProperty(settledSteps, async (all) => {
      await withDaemon(async (daemon) => {
        await submit(daemon, all);
        await daemon.mailbox.prune((state) => prunable(state, { now: 9e15 }));
        const { state } = daemon.mailbox;
        const after = restarted(daemon.log);
        assert.deepEqual([...after.items.keys()].sort(), [...state.items.keys()].sort());
        for (const id of state.runs.keys()) assert.ok(after.runs.has(id));
      });
    }),
    RUNS,
  );
});
