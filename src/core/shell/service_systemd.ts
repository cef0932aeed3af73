/** The text of a systemd user unit. Pure. */

import { isControl, SERVICE_MARK, type ServiceSpec } from "./service_spec.ts";

export const SYSTEMD_UNIT = "mytty.service";

/** Five failed starts in a minute are no accident: it is left down, and `status` says so. */
export function systemdUnit({ command, environment }: ServiceSpec): string {
  const [program, ...args] = command;
  const lines = Object.entries(environment).map(([name, value]) =>
    `Environment=${quoted(`${name}=${value}`)}`
  );
  return `# ${SERVICE_MARK};
# \`mytty service uninstall\` removes it. Changes are lost at the next install:
# make them with \`systemctl --user edit ${SYSTEMD_UNIT}\`.
[Unit]
Description=mytty: what the coding agents in your terminals do
Documentation=man:mytty(1)
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=exec
ExecStart=${[quoted(program!), ...args.map(argument)].join(" ")}
${lines.join("\n")}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2
TimeoutStopSec=10
UMask=0077

[Install]
WantedBy=default.target
`;
}

/** A sentence when systemd would refuse the program's path; else undefined. */
export function systemdIssue({ command: [program] }: ServiceSpec): string | undefined {
  if (!/["'\\]/.test(program!) && !isControl(program!)) return undefined;
  return `Cannot write a unit for ${JSON.stringify(program)}: systemd takes no program whose ` +
    "path has quotes or backslashes";
}

/** Every argument goes through the replacing of variables as well; the program does not. */
function argument(text: string): string {
  return quoted(text.replaceAll("$", "$$$$"));
}

function quoted(text: string): string {
  const escaped = text.replaceAll("%", "%%").replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return /^[\w/.:=@%+,-]+$/.test(escaped) ? escaped : `"${escaped}"`;
}
