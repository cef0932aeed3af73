/** `mytty test <provider>`: runs the very command that the agent runs, and says which link failed. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { findWrittenCommands, type WrittenCommand } from "../installers/written_commands.ts";
import { checkLauncher } from "../installers/staging.ts";
import { defineCommand, finish, writeErr, writeJson, writeLine } from "./_command.ts";
import { chosenProviders, installContext } from "./_install_context.ts";

type Link = { readonly link: string; readonly ok: boolean; readonly detail: string };

export function command(): Command {
  return defineCommand({
    name: "test",
    summary: "Run an agent's hook from its config to the server",
    examples: ["mytty test claude", "mytty test codex --json"],
    build: (command) =>
      command.argument("<provider>", "id or alias")
        .option("--json", "print one JSON document")
        .action(test),
  });
}

async function test(word: string, options: { json?: true }, command: Command): Promise<void> {
  const [record] = chosenProviders([word]);
  const links = await tryLinks(record!);
  const failed = links.find(({ ok }) => !ok);
  finish(command, failed === undefined ? EXIT.done : EXIT.failed);
  if (options.json) {
    return writeJson({ provider: record!.id, ok: failed === undefined, links });
  }
  for (const { link, ok, detail } of links) writeLine(`${ok ? "✔" : "✖"} ${link}: ${detail}`);
  if (failed === undefined) return;
  writeErr(`${record!.displayName}: the chain breaks at ${failed.link}: ${failed.detail}`);
}

/** From the config to the server, up to the first link that does not hold. */
async function tryLinks(record: ProviderRecord): Promise<Link[]> {
  const context = installContext();
  const written = await findWrittenCommands(record, context);
  const links: Link[] = [configLink(record, written)];
  if (!links[0]!.ok) return links;
  const launcher = await checkLauncher(context);
  links.push({
    link: "launcher",
    ok: launcher.ok,
    detail: launcher.ok ? "staged and executable" : launcher.issue.message,
  });
  if (launcher.ok) links.push(await runCommandLink(record, written[0]!));
  return links;
}

function configLink(record: ProviderRecord, written: readonly WrittenCommand[]): Link {
  const ok = written.length > 0;
  const files = [...new Set(written.map(({ path }) => path))];
  const detail = ok
    ? `${written.length} of ours in ${files.join(", ")}`
    : `nothing of ours; run \`mytty install ${record.id}\``;
  return { link: "config", ok, detail };
}

async function runCommandLink(record: ProviderRecord, { command, event }: WrittenCommand) {
  const payload = JSON.stringify({ hook_event_name: event, session_id: "mytty-test" });
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", command],
    env: { MYTTY_HOOK_TEST: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(payload)).then(() => writer.close()).catch(() => {});
  const { code, stderr } = await child.output();
  const said = new TextDecoder().decode(stderr).trim().replace(/^mytty hook: /, "");
  const link = /^no server|did not answer|closed without|refused/.test(said) ? "server" : "command";
  return code === 0
    ? { link: "server", ok: true, detail: `answered the ${event} hook of ${record.displayName}` }
    : { link, ok: false, detail: said || `exit status ${code}` };
}
