import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { runTool } from "../../src/estimator/process_tool.ts";
import { createProcesses } from "../../src/estimator/processes.ts";
import { Scene, until } from "../fixtures/processes/real.ts";

Deno.test("a tool's output and status come back, arguments are never a shell's", async () => {
  const result = await runTool("/bin/echo", ["$HOME; `id`", "é"], { timeoutMs: 20_000 });
  assert.deepEqual(result, { ok: true, code: 0, stdout: "$HOME; `id` é\n" });
  const failed = await runTool("/bin/sh", ["-c", "exit 3"], { timeoutMs: 20_000 });
  assert.deepEqual(failed, { ok: true, code: 3, stdout: "" });
});

Deno.test("a missing tool is an answer", async () => {
  const result = await runTool("/nonexistent/ps", [], { timeoutMs: 20_000 });
  assert.equal(result.ok, false);
});

Deno.test("a tool that hangs or floods is ended", async () => {
  await using scene = new Scene();
  const pidFile = scene.path("pid");
  const hang = scene.script("hang", `#!/bin/sh\necho $$ > '${pidFile}'\nexec sleep 600\n`);
  const hung = await runTool(hang, [], { timeoutMs: 300 });
  assert.match(hung.ok ? "" : hung.reason, /no end within 300 ms$/);
  // On a busy system it may have been ended before it could write.
  if (Deno.build.os === "linux" && existsSync(pidFile)) {
    const pid = Number(Deno.readTextFileSync(pidFile));
    const processes = createProcesses();
    await until("the end of it", async () => (await processes.readProcess(pid)) === null);
  }
  const flood = scene.script("flood", "#!/bin/sh\nexec yes\n");
  const flooded = await runTool(flood, [], { timeoutMs: 20_000, maxBytes: 10_000 });
  assert.match(flooded.ok ? "" : flooded.reason, /more than 10000 bytes$/);
});

Deno.test("a tool that ends while its child holds the pipe is given up in time", async () => {
  await using scene = new Scene();
  const pidFile = scene.path("pid");
  const tool = scene.script("tool", `#!/bin/sh\nsleep 60 &\necho $! > '${pidFile}'\n`);
  const result = await runTool(tool, [], { timeoutMs: 1000 });
  assert.equal(result.ok, false);
  if (existsSync(pidFile)) process.kill(Number(Deno.readTextFileSync(pidFile)), "SIGKILL");
});

Deno.test("an unknown system is refused", () => {
  assert.throws(() => createProcesses("windows"), /"windows" is not supported/);
});
