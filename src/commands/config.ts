/** `mytty config check|path|show|schema`: the configuration file, without touching it. */

import type { Command } from "commander";
import { type Config, configJsonSchema } from "../core/config.ts";
import { EXIT } from "../core/exit_code.ts";
import { loadConfig, readConfigText } from "../socket/config_file.ts";
import { readPaths } from "../socket/environment.ts";
import { CliError, defineCommand, finish, writeErr, writeJson, writeLine } from "./_command.ts";

type Options = { readonly json?: true };

export function command(): Command {
  return defineCommand({
    name: "config",
    summary: "Check and show the configuration: config check, path, show, schema",
    examples: [
      "mytty config check",
      '$EDITOR "$(mytty config path)"',
      "mytty config show",
      "mkdir -p ~/.config/mytty && mytty config schema > ~/.config/mytty/schema.json",
    ],
    build: (command) => {
      command.command("check").description("say what is wrong with the file; exit 1 if anything is")
        .argument("[file]", "another file than the one in use")
        .option("--json", "print one JSON document")
        .action(check);
      command.command("path").description("print where the file is, or would be")
        .action(() => writeLine(readPaths().config));
      command.command("show").description("print what is in force, defaults included, as JSON")
        .action(show);
      command.command("schema").description("print the JSON schema, for editors")
        .action(() => writeLine(JSON.stringify(configJsonSchema(), null, 2)));
    },
  });
}

function check(file: string | undefined, { json }: Options, command: Command): void {
  const path = file ?? readPaths().config;
  if (file !== undefined && !exists(file)) {
    throw new CliError(EXIT.failed, `Cannot read "${file}": no such file`);
  }
  const result = loadConfig(path);
  const issues = result.ok ? [] : result.issues;
  const notes = result.ok ? result.notes : [];
  finish(command, result.ok ? EXIT.done : EXIT.failed);
  if (json) return writeJson({ path, ok: result.ok, exists: exists(path), issues, notes });
  if (result.ok) {
    writeLine(exists(path) ? `${path} is fine` : `${path} is not there; the defaults hold`);
  }
  for (const issue of [...issues, ...notes]) writeErr(`${path}: ${issue}`);
}

function show(): void {
  const result = loadConfig(readPaths().config);
  if (!result.ok) {
    throw new CliError(EXIT.failed, `The file is not in force: ${result.issues[0]}`);
  }
  writeLine(JSON.stringify(hidden(result.config), null, 2));
}

/** What a file holds to prove who we are is not for screens and logs. */
function hidden(config: Config): Config {
  const { webhook, ntfy } = config.notify.channels;
  const headers = Object.fromEntries(Object.keys(webhook.headers).map((name) => [name, "***"]));
  const channels = {
    ...config.notify.channels,
    webhook: { ...webhook, headers },
    ntfy: ntfy.token === undefined ? ntfy : { ...ntfy, token: "***" },
  };
  return { ...config, notify: { ...config.notify, channels } };
}

function exists(path: string): boolean {
  try {
    return readConfigText(path) !== null;
  } catch {
    return true; // There, but not to be read; the check says why.
  }
}
