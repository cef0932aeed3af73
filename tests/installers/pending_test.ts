/** What a killed run had noted and not kept: taken up as far as it had come. */

import assert from "node:assert/strict";
import { notePending, settlePending } from "../../src/installers/pending.ts";
import { readRecords } from "../../src/installers/records.ts";
import { textHash } from "../../src/installers/undo_note.ts";
import { putFile, withHome } from "../helpers/install_home.ts";

const WRITTEN = "what we wrote";
const RECORD = { hashes: [textHash(WRITTEN)] };

async function settled(home: string) {
  return await settlePending(`${home}/state`, await readRecords(`${home}/state`));
}

Deno.test("killed before anything happened, after the folders, and after the write", async () => {
  await withHome(async (home) => {
    const path = `${home}/new/folder/file`;
    await notePending(`${home}/state`, { path, before: null, record: RECORD });
    const nothing = await settled(home);
    assert.deepEqual([nothing.files, nothing.folders], [{}, []]);
    Deno.mkdirSync(`${home}/new`);
    assert.deepEqual((await settled(home)).folders, [`${home}/new`]);
    putFile(path, WRITTEN);
    const all = await settled(home);
    assert.deepEqual(all.files, { [path]: RECORD });
    assert.deepEqual(all.folders, [`${home}/new`, `${home}/new/folder`]);
    putFile(path, "somebody else's");
    assert.deepEqual((await settled(home)).files, {}, "not what we wrote");
  });
});

Deno.test("a removal that happened is forgotten, one that did not is not", async () => {
  await withHome(async (home) => {
    const path = `${home}/file`;
    putFile(path, WRITTEN);
    const records = { version: 1, files: { [path]: RECORD }, folders: [], providers: {} };
    putFile(`${home}/state/installs.json`, JSON.stringify(records));
    await notePending(`${home}/state`, { path, before: WRITTEN, record: null });
    assert.deepEqual((await settled(home)).files, { [path]: RECORD });
    Deno.removeSync(path);
    assert.deepEqual((await settled(home)).files, {});
  });
});
