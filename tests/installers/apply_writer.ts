/** A program that is killed while it writes: swaps two texts in a file for ever. */

import { applyFile } from "../../src/installers/apply.ts";
import { sealText } from "../../src/installers/verified_text.ts";

const [path, letters, size] = Deno.args;
if (path === undefined || letters === undefined) throw new Error("Cannot write: no path given");
const texts = [...letters].map((letter) => letter.repeat(Number(size)));
for (let turn = 0;; turn++) {
  const before = texts[turn % texts.length] ?? null;
  const after = texts[(turn + 1) % texts.length] ?? "";
  const result = await applyFile({ path, before, after: sealText(after) });
  if (turn === 0) await Deno.stdout.write(new TextEncoder().encode(result.status));
}
