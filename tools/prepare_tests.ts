/**
 * Before the tests: the programs they drive for real, and a fresh dist/mytty. Installs what is
 * missing where that can be done (Debian, root); else says what to install.
 */

import { fileURLToPath } from "node:url";

const PACKAGES: Readonly<Record<string, string>> = {
  bash: "bash",
  busybox: "busybox",
  curl: "curl",
  dash: "dash",
  "dbus-run-session": "dbus-daemon",
  "dbus-send": "dbus-bin",
  dunst: "dunst",
  fish: "fish",
  git: "git",
  ip: "iproute2",
  lsof: "lsof",
  mandoc: "mandoc",
  "notify-send": "libnotify-bin",
  ps: "procps",
  python3: "python3",
  script: "bsdutils",
  setsid: "util-linux",
  ssh: "openssh-client",
  sshd: "openssh-server",
  "systemd-analyze": "systemd",
  tmux: "tmux",
  unshare: "util-linux",
  wget: "wget",
  Xvfb: "xvfb",
  zsh: "zsh",
};

async function isThere(program: string): Promise<boolean> {
  // Daemons live in a folder that a person's PATH may leave out.
  const path = [...(Deno.env.get("PATH") ?? "").split(":"), "/usr/sbin", "/sbin"];
  for (const folder of path) {
    const info = await Deno.stat(`${folder}/${program}`).catch(() => null);
    if (info?.isFile) return true;
  }
  return false;
}

async function run(program: string, args: readonly string[]): Promise<boolean> {
  const command = new Deno.Command(program, {
    args: [...args],
    env: { DEBIAN_FRONTEND: "noninteractive" },
    stdout: "null",
    stderr: "inherit",
  });
  return (await command.output()).success;
}

async function install(packages: readonly string[]): Promise<boolean> {
  if (Deno.uid() !== 0 || !await isThere("apt-get")) return false;
  console.error(`Installing for the tests: ${packages.join(" ")}`);
  return await run("apt-get", ["update", "-qq"]) &&
    await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages]);
}

if (Deno.args.includes("--packages")) {
  // For a machine on which installing needs other rights than testing.
  console.log([...new Set(Object.values(PACKAGES))].join(" "));
  Deno.exit(0);
}
const missing: string[] = [];
for (const program of Object.keys(PACKAGES)) if (!await isThere(program)) missing.push(program);
const packages = [...new Set(missing.map((program) => PACKAGES[program]!))];
if (packages.length > 0 && Deno.build.os === "linux" && !await install(packages)) {
  console.error(`The tests need ${missing.join(", ")}; install the packages ${packages.join(" ")}`);
  Deno.exit(1);
}
const build = new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", fileURLToPath(new URL("build.ts", import.meta.url)), "--if-stale"],
});
Deno.exit((await build.spawn().status).code);
