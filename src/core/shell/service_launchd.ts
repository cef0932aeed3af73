/** The text of a launchd agent (a property list). Pure. */

import { SERVICE_MARK, type ServiceSpec } from "./service_spec.ts";

export const LAUNCHD_LABEL = "mytty.serve";

/** Launchd counts no failed starts; it waits ten seconds between them. */
export function launchdPlist({ command, environment }: ServiceSpec, logFile: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${SERVICE_MARK}; \`mytty service uninstall\` removes it. -->
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>${LAUNCHD_LABEL}</string>
	<key>ProgramArguments</key>
	<array>
${command.map((word) => `\t\t<string>${escaped(word)}</string>`).join("\n")}
	</array>
	<key>EnvironmentVariables</key>
	<dict>
${Object.entries(environment).map(variable).join("\n")}
	</dict>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ThrottleInterval</key>
	<integer>10</integer>
	<key>ExitTimeOut</key>
	<integer>10</integer>
	<key>Umask</key>
	<integer>63</integer>
	<key>StandardErrorPath</key>
	<string>${escaped(logFile)}</string>
</dict>
</plist>
`;
}

function variable([name, value]: [string, string]): string {
  return `\t\t<key>${escaped(name)}</key>\n\t\t<string>${escaped(value)}</string>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
