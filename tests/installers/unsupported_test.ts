/** A program whose hooks cannot report: nothing is installed, nothing is recorded, nothing is green. */

import assert from "node:assert/strict";
import { findProvider } from "../../src/core/registry.ts";
import { readRecords } from "../../src/installers/records.ts";
import {
  installContextFor,
  putProgram,
  runInstall,
  snapshot,
  withHome,
} from "../helpers/install_home.ts";
import { writeExecutable } from "../helpers/executable.ts";
import { withProgram } from "../helpers/program_home.ts";

const GATED = [
  ["copilot", "copilot", "1.0.10", /too old: needs 1\.0\.26/],
  ["pi", "pi", "0.70.0", /too old: needs 0\.80\.4/],
  ["kiro", "kiro-cli", "2.6.0", /too old: needs 2\.13/],
  ["goose", "goose", "1.30.0", /too old: needs 1\.38/],
  ["opencode", "opencode", "2.0.3", /estimated only/],
] as const;

Deno.test("a version whose hooks cannot work is said by name, and leaves no trace", () =>
  withProgram(async (run, home) => {
    for (const [id, name, version, why] of GATED) {
      putProgram(home, name, version);
      const named = await run("install", id);
      assert.equal(named.code, 1, id);
      assert.match(named.stderr, why);
      const [status] = JSON.parse((await run("status", id, "--json")).stdout).providers;
      assert.equal(status.state, "not-installed");
      assert.match(status.detail, why);
      assert.equal((await run("status", id, "--check")).code, 1);
    }
    // Nobody asked for one of them.
    const all = await run("install", "--json");
    assert.equal(all.code, 0, all.stderr);
    const reports = JSON.parse(all.stdout).providers as { status: string }[];
    assert.deepEqual([...new Set(reports.map(({ status }) => status))], ["unsupported"]);
    const { providers, files } = await readRecords(`${home}/state`);
    assert.deepEqual([providers, files], [{}, {}]);
    assert.deepEqual(Object.keys(snapshot(home, ["state", "bin", "run"])), []);
  }));

Deno.test("an unknown version, and no program at all, admit no gated file either", () =>
  withProgram(async (run, home) => {
    const missing = await run("install", "pi");
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /not found on PATH.*version is unknown: needs 0\.80\.4/);
    writeExecutable(`${home}/bin/pi`, "#!/bin/sh\nexit 1\n");
    const silent = await run("install", "pi");
    assert.equal(silent.code, 1);
    assert.match(silent.stderr, /version is unknown: needs 0\.80\.4/);
    assert.deepEqual((await readRecords(`${home}/state`)).providers, {});
    assert.match((await run("status", "pi")).stdout, /not-installed/);
  }));

Deno.test("a downgrade takes the file away, and an upgrade brings it back", () =>
  withHome(async (home) => {
    const pi = findProvider("pi")!;
    const context = installContextFor(home);
    const path = `${home}/.pi/agent/extensions/mytty.ts`;
    putProgram(home, "pi");
    await runInstall([pi], context);
    const text = Deno.readTextFileSync(path);
    putProgram(home, "pi", "0.70.0");
    const [down] = await runInstall([pi], context);
    assert.equal(down!.status, "unsupported");
    assert.throws(() => Deno.statSync(path), Deno.errors.NotFound);
    putProgram(home, "pi");
    const [up] = await runInstall([pi], context);
    assert.equal(up!.status, "installed");
    assert.equal(Deno.readTextFileSync(path), text);
    // A program that is away for a while is still the version that it was.
    Deno.removeSync(`${home}/bin/pi`);
    await runInstall([pi], context, { isExplicit: true });
    assert.equal(Deno.readTextFileSync(path), text);
  }));

Deno.test("the Python kimi-cli is told from Kimi Code by what it is written in", () =>
  withHome(async (home) => {
    const kimi = findProvider("kimi")!;
    const context = installContextFor(home);
    const script = "#!/usr/bin/env python3\nprint('kimi, version 1.49.0')\n";
    writeExecutable(`${home}/bin/kimi`, script);
    const [python] = await runInstall([kimi], context);
    assert.equal(python!.status, "unsupported");
    assert.match(python!.unsupported ?? "", /Python kimi-cli/);
    assert.throws(() => Deno.statSync(`${home}/.kimi-code`), Deno.errors.NotFound);
    putProgram(home, "kimi");
    const [code] = await runInstall([kimi], context);
    assert.equal(code!.status, "installed");
  }));
