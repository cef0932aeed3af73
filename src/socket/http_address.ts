/** Pure: where `serve --http` may listen, and which callers mean that place. */

export type HttpAddress = { readonly host: string; readonly port: number };

/** Names and addresses that never leave this machine. */
const LOOPBACK: Readonly<Record<string, string>> = {
  "": "127.0.0.1",
  localhost: "127.0.0.1",
  "127.0.0.1": "127.0.0.1",
  "[::1]": "::1",
  "::1": "::1",
};

/** `PORT`, `HOST:PORT`; a sentence for what is none, or would be reachable from elsewhere. */
export function parseHttpAddress(text: string): HttpAddress | { readonly issue: string } {
  const match = /^(?:(.*):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535) {
    return { issue: `--http takes PORT or HOST:PORT, not "${text}"` };
  }
  const host = LOOPBACK[match[1] ?? ""];
  if (host !== undefined) return { host, port };
  return {
    issue: `Refusing --http ${text}: only 127.0.0.1 and [::1] are served; ` +
      "from elsewhere go through `ssh -L`",
  };
}

export function httpUrl({ host, port }: HttpAddress): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/**
 * A page of a foreign site whose name leads to this machine (DNS rebinding) names itself as host,
 * and any page of another origin says which one it is.
 */
export function isOurs(headers: Headers, { port }: HttpAddress): boolean {
  const hosts = ["localhost", "127.0.0.1", "[::1]"].map((name) => `${name}:${port}`);
  const host = headers.get("host") ?? "";
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site") ?? "none";
  return hosts.includes(host) && (origin === null || origin === `http://${host}`) &&
    (site === "none" || site === "same-origin");
}
