/** Real input of every provider, out of the fixtures: hook payloads and lines of their own files. */

import { isObject, type JsonObject, parseJson } from "../../src/core/json.ts";

const FIXTURES = new URL("../fixtures/providers/", import.meta.url);

export type HookSample = {
  readonly payload: JsonObject;
  readonly event?: string;
  readonly env?: Record<string, string>;
};

export function hookSamples(id: string): HookSample[] {
  return linesOf(new URL(`${id}/hooks.jsonl`, FIXTURES)) as unknown as HookSample[];
}

/** Every object that a recording holds at its top: among them all transcript and status lines. */
export function fileSamples(id: string): JsonObject[] {
  return ["recordings", "transcripts"].flatMap((folder) => {
    const url = new URL(`${id}/${folder}/`, FIXTURES);
    return jsonlFiles(url).flatMap((name) => linesOf(new URL(name, url)));
  }).flatMap((line) => [line, ...Object.values(line).filter(isObject)]);
}

function jsonlFiles(folder: URL): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name)
      .filter((name) => name.endsWith(".jsonl")).sort();
  } catch {
    return []; // None was recorded.
  }
}

function linesOf(url: URL): JsonObject[] {
  return Deno.readTextFileSync(url).split("\n").map(parseJson).filter(isObject);
}
