/**
 * `serve --http`: what the control API tells, over TCP on this machine, for who has the token.
 * Nothing can be changed through it, and no capability is ever told there.
 */

import type net from "node:net";
import { type HttpAddress, httpUrl, isOurs } from "./http_address.ts";
import { isToken, keptToken } from "./http_token.ts";
import { CLOSE_MS, type Listener, within } from "./listener.ts";
import { createWebServer, type WebHandler } from "./web_server.ts";

export type HttpDoor = Listener & { readonly url: string };

type DoorOptions = {
  readonly address: HttpAddress;
  readonly tokenFile: string;
  readonly handle: WebHandler;
};

export async function openHttpDoor(
  { address, tokenFile, handle }: DoorOptions,
): Promise<HttpDoor> {
  const token = keptToken(tokenFile);
  const server = createWebServer((request) =>
    refusal(request, { address: bound, token }) ?? handle(request)
  );
  const bound = { ...address, port: await listen(server, address) };
  const close = () =>
    within(new Promise<void>((resolve) => server.close(() => resolve())), CLOSE_MS);
  return { url: httpUrl(bound), close, suspect: () => {} };
}

function listen(server: net.Server, address: HttpAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "another program listens there" : error.message;
      reject(new Error(`Cannot serve ${httpUrl(address)}: ${why}`, { cause: error }));
    });
    server.listen(address.port, address.host, () => {
      resolve((server.address() as net.AddressInfo).port);
    });
  });
}

type Expected = { readonly address: HttpAddress; readonly token: string };

/** Null for a request that may be answered. Who has no token learns nothing else. */
function refusal(request: Request, { address, token }: Expected): Response | null {
  const { headers, method } = request;
  if (!isOurs(headers, address)) {
    return refuse(403, "forbidden", "This host or origin is not served; see docs/security.md");
  }
  const given = /^Bearer ([0-9a-f]{1,128})$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  if (!isToken(given, token)) {
    return refuse(401, "unauthorized", "Send `Authorization: Bearer` with the token of http.token");
  }
  if (method === "GET" || (method === "POST" && isWait(request))) return null;
  return refuse(403, "read-only", "Nothing is changed over --http; use control.sock");
}

/** It only asks, although it has a body. */
function isWait(request: Request): boolean {
  return new URL(request.url).pathname === "/v1/wait";
}

function refuse(status: 401 | 403, error: string, message: string): Response {
  const headers = status === 401 ? { "www-authenticate": "Bearer" } : undefined;
  return Response.json({ error, message }, { status, ...(headers ? { headers } : {}) });
}
