import assert from "node:assert/strict";
import { envelope, exchange, withServer } from "../helpers/daemon.ts";

Deno.test("an envelope is answered after it is stored, and shows in the list", async () => {
  await withServer(async ({ paths, openSurface, control }) => {
    const surface = await openSurface("build");
    const answer = await exchange(paths.eventSocket, envelope(surface));
    assert.equal(answer, '{"ok":true,"inserted":true}\n');
    const { body } = await control.request("/v1/list");
    const [row] = (body as { surfaces: { state: string; label: string }[] }).surfaces;
    assert.equal(row?.state, "running");
    assert.equal(row?.label, "build");
  });
});
