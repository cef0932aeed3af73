/** What an install or uninstall found and did, as data that people and scripts are shown. Pure. */

import type { ProviderRecord } from "../core/provider.ts";
import type { EditIssue } from "./edit_op.ts";
import type { FoundProgram } from "./program_version.ts";

export interface FileReport {
  readonly path: string;
  readonly action: "created" | "updated" | "removed" | "unchanged" | "refused";
  /** Things of ours that were there before. */
  readonly found: number;
  readonly findings: readonly string[];
  readonly diff?: string;
  readonly issue?: EditIssue;
  /** What to paste by hand where we could not write. */
  readonly snippet?: string;
}

export type ReportStatus =
  | "installed"
  | "repaired"
  | "unchanged"
  | "uninstalled"
  | "cli-missing"
  | "unsupported"
  | "conflict"
  | "failed";

export interface ProviderReport {
  readonly provider: string;
  readonly displayName: string;
  readonly status: ReportStatus;
  readonly program: string | null;
  readonly version: string | null;
  readonly files: readonly FileReport[];
  /** Settings and other managers that our hooks meet. */
  readonly obstacles: readonly string[];
  /** Why hooks cannot work with the program that is there, or null. */
  readonly unsupported: string | null;
  /** What could not be known. */
  readonly notes: readonly string[];
  /** What the user is to do now, or null. */
  readonly next: string | null;
}

export interface ReportOptions {
  readonly program: FoundProgram | null;
  readonly files: readonly FileReport[];
  readonly status?: ReportStatus;
  readonly uninstalls?: boolean;
  readonly obstacles?: readonly string[];
  readonly unsupported?: string | null;
  readonly notes?: readonly string[];
}

export function reportOf(record: ProviderRecord, options: ReportOptions): ProviderReport {
  const { program, files, uninstalls = false, unsupported = null } = options;
  const status = options.status ?? statusOf(files, uninstalls);
  const notes: string[] = [...options.notes ?? []];
  if (!uninstalls && unsupported === null && program !== null && program.version === null) {
    notes.push("did not tell its version: only events that every version knows were chosen");
  }
  if (!uninstalls && program === null && status !== "cli-missing") {
    notes.push("its program was not found on PATH");
  }
  const isNew = status === "installed" || status === "repaired";
  return {
    provider: record.id,
    displayName: record.displayName,
    status,
    program: program?.path ?? null,
    version: program?.version ?? null,
    files,
    obstacles: options.obstacles ?? [],
    unsupported,
    notes,
    next: isNew ? record.install.afterInstall : null,
  };
}

function statusOf(files: readonly FileReport[], uninstalls: boolean): ReportStatus {
  const refused = files.filter(({ action }) => action === "refused");
  if (refused.length > 0) {
    return refused.every(({ issue }) => issue?.code === "conflict") ? "conflict" : "failed";
  }
  const changed = files.filter(({ action }) => action !== "unchanged");
  if (changed.length === 0) return "unchanged";
  if (uninstalls) return "uninstalled";
  return files.some(({ found }) => found > 0) ? "repaired" : "installed";
}

export function failedFile(path: string, issue: EditIssue, snippet: string): FileReport {
  return { path, action: "refused", found: 0, findings: [], issue, snippet };
}

/** One line, then what a person must know; never more than what really happened. */
export function reportLines(report: ProviderReport): string[] {
  const version = report.version === null ? "" : ` ${report.version}`;
  const lines = [`${report.displayName}${version}: ${statusText(report)}`];
  for (const { path, action, found, findings, issue, snippet } of report.files) {
    if (action === "unchanged") continue;
    if (issue === undefined) {
      lines.push(
        `  ${action} ${path}${
          findings.length === 0 || found === 0 ? "" : ` (${findings.join("; ")})`
        }`,
      );
      continue;
    }
    lines.push(`  ${issue.message.includes(path) ? "" : `${path}: `}${issue.message}`);
    if (snippet) lines.push("  To do it by hand, add:", ...snippet.trimEnd().split("\n"));
  }
  const notes = [...report.obstacles, ...report.notes];
  lines.push(...notes.map((note) => `  Note: ${note}`));
  if (report.next !== null) lines.push(`  Next: ${report.next}`);
  return lines;
}

function statusText({ status, unsupported }: ProviderReport): string {
  switch (status) {
    case "cli-missing":
      return `not found on PATH, nothing written${unsupported === null ? "" : ` (${unsupported})`}`;
    case "unsupported":
      return `${unsupported}; nothing is installed`;
    case "unchanged":
      return "nothing to change";
    default:
      return status;
  }
}
