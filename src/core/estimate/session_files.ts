/**
 * What a provider's record says about its sessions' files, where a session's pane is not told by
 * its process. Pure: paths, names and first lines in, facts out.
 */

import type { JsonObject } from "../json.ts";

export type SessionFiles = {
  /** The agent's own folder: a variable, else a folder below the home folder. */
  readonly base: { readonly variable: string; readonly home: string };
  /** The session whose transcript this file is, by its path alone. */
  readonly sessionOfPath: (path: string) => string | null;
  /** Folders below the base in which the session's transcript may lie, likeliest first. */
  readonly folders: (sessionID: string) => readonly string[];
  /** The folder of a person's own session, from its transcript's first line; else null. */
  readonly folderOfHead: (line: string, sessionID: string) => string | null;
  /** When the session was opened, by its id. */
  readonly openedAt: (sessionID: string) => number | null;
  /** Folder below the base that has a file, named like the session, for each one of a terminal. */
  readonly openings: string;
  /** The session that the agent's words take up; "any" when the person picks one inside. */
  readonly resumes: (args: readonly string[]) => string | "any" | null;
  /** Hooks at which a pane may have gone over to another session. */
  readonly beginnings: readonly string[];
  /** The payload says that an older session was taken up again. */
  readonly isResumed: (payload: JsonObject) => boolean;
};
