/** The agent that docs/adding-a-provider.md makes: it compiles, and decodes as the page says. */

import assert from "node:assert/strict";
import { parseJson } from "../../src/core/json.ts";
import type { ProviderRecord } from "../../src/core/provider.ts";
import { PROVIDERS } from "../../src/core/registry.ts";
import { withFolder } from "../helpers/daemon.ts";

const ROOT = new URL("../../", import.meta.url);

function block(language: string): string {
  const text = Deno.readTextFileSync(new URL("docs/adding-a-provider.md", ROOT));
  return text.split(`\n\`\`\`${language}\n`)[1]!.split("\n```\n")[0]!;
}

type Entry = {
  readonly name: string;
  readonly payload: Record<string, unknown>;
  readonly facts: readonly unknown[];
};

Deno.test("the example agent compiles, covers its events, and decodes as written down", async () => {
  await withFolder(async (folder) => {
    // As if it stood in the folder of the others.
    const core = new URL("src/core/", ROOT).href;
    const path = `${folder}/acme.ts`;
    Deno.writeTextFileSync(path, block("ts").replaceAll('from "../', `from "${core}`));
    const { default: record } = await import(`file://${path}`) as { default: ProviderRecord };
    assert.ok(PROVIDERS.every(({ id }) => id !== record.id), "it is an example");
    const entries = block("jsonl").split("\n").map((line) => parseJson(line) as unknown as Entry);
    for (const { name, payload, facts } of entries) {
      const input = { payload, event: null, env: {}, receivedAt: 0 };
      assert.deepEqual(record.hook.decode(input as never), facts, name);
    }
    const [target] = record.install.targets;
    assert.ok(target !== undefined && "subscriptions" in target);
    const seen = new Set(entries.map(({ payload }) => payload.hook_event_name));
    assert.deepEqual(seen, new Set(target.subscriptions.map(({ event }) => event)));
  });
});
