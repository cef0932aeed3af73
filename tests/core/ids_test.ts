/** Ids that are made from what a provider says. */

import assert from "node:assert/strict";
import { derivedID, runIDOf, sha256Hex, uuidBytes, uuidOrNull } from "../../src/core/ids.ts";

Deno.test("a derived id is what SHA-256 gives, shaped as a UUID of version 5", async () => {
  // By `printf 'run\0claude-code\0S\0p1' | sha256sum`:
  // 2a3acaf16648b17397db8a6db735cb3c …, with the version and variant bits set.
  const digest = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode("run\0claude-code\0S\0p1")),
  );
  const hex = [...digest.subarray(0, 16)].map((byte, at) => {
    const shaped = at === 6 ? byte % 16 + 0x50 : at === 8 ? byte % 64 + 0x80 : byte;
    return shaped.toString(16).padStart(2, "0");
  }).join("");
  const id = derivedID("run", "claude-code", "S", "p1");
  assert.equal(id.replaceAll("-", ""), hex);
  assert.equal(id, KNOWN);
  assert.equal(runIDOf("claude-code", "S", "p1"), id);
});

const KNOWN = "2a3acaf1-6648-5173-97db-8a6db735cb3c";

Deno.test("every derived id is a lower-case UUID of version 5 and RFC variant", () => {
  for (let i = 0; i < 200; i++) {
    assert.match(
      derivedID("x", String(i)),
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  }
});

Deno.test("parts are kept apart, and their order counts", () => {
  const ids = [
    derivedID("ab", "c"),
    derivedID("a", "bc"),
    derivedID("abc"),
    derivedID("c", "ab"),
    derivedID("ab", "c", ""),
    derivedID("", "ab", "c"),
  ];
  assert.equal(new Set(ids).size, ids.length);
});

Deno.test("SHA-256 of the empty and of a non-ASCII text", () => {
  assert.equal(
    sha256Hex(""),
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  );
  assert.equal(
    sha256Hex("é"),
    "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c",
  );
});

Deno.test("a UUID is read in either case and nothing else is one", () => {
  const id = "0d2cf3c4-9f0e-4f0e-8c53-2b0a8c1f2b11";
  assert.equal(uuidOrNull(id), id);
  assert.equal(uuidOrNull(id.toUpperCase()), id);
  for (
    const text of [
      "",
      id.slice(1),
      `${id}0`,
      `{${id}}`,
      ` ${id}`,
      `${id}\n`,
      id.replaceAll("-", ""),
      id.replace("0d", "0g"),
      null,
      7,
      [id],
    ]
  ) {
    assert.equal(uuidOrNull(text), null, JSON.stringify(text));
  }
});

Deno.test("the stored key of a UUID is its sixteen bytes", () => {
  const bytes = uuidBytes("0d2cf3c4-9f0e-4f0e-8c53-2b0a8c1f2bff");
  assert.deepEqual([...bytes], [
    0x0d,
    0x2c,
    0xf3,
    0xc4,
    0x9f,
    0x0e,
    0x4f,
    0x0e,
    0x8c,
    0x53,
    0x2b,
    0x0a,
    0x8c,
    0x1f,
    0x2b,
    0xff,
  ]);
});
