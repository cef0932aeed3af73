/**
 * The compiled form cannot run where its runtime base is out of reach, but its making can be looked
 * at: with the runtime itself as the base, check, module graph and embedding are the real ones.
 */

import assert from "node:assert/strict";
import { compile } from "../../tools/build.ts";
import { withFolder } from "../helpers/daemon.ts";

const ROOT = new URL("../../", import.meta.url);

function commandFiles(): string[] {
  return [...Deno.readDirSync(new URL("src/commands/", ROOT))].map(({ name }) => name)
    .filter((name) => name.endsWith(".ts"));
}

Deno.test("the compile step embeds every lazily loaded command and every library", async () => {
  await withFolder(async (folder) => {
    const output = `${folder}/mytty`;
    const compiled = await compile(output, Deno.execPath());
    assert.ok(compiled.ok, compiled.output);
    assert.equal((Deno.statSync(output).mode ?? 0) & 0o111, 0o111);
    // What is embedded follows the base, byte for byte the runtime.
    const base = Deno.statSync(Deno.execPath()).size;
    const embedded = new TextDecoder("latin1").decode(Deno.readFileSync(output).subarray(base));
    for (const name of commandFiles()) {
      assert.ok(embedded.includes(name), `${name} is not embedded`);
    }
    for (const library of ["commander", "hono", "zod", "noble"]) {
      assert.ok(embedded.includes(library), library);
    }
  });
});
