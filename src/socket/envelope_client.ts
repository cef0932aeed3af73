/** Sends one envelope and reads its answer. */

import net from "node:net";
import type { Answer } from "../core/wire/answer.ts";
import { checkSocketPath, explainConnect, silentError } from "./unreachable.ts";

const TIMEOUT_MS = 6_000;

export function sendEnvelope(socket: string, envelope: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const unusable = checkSocketPath(socket);
    if (unusable !== null) throw unusable;
    let text = "";
    const connection = net.connect(socket, () => connection.write(`${JSON.stringify(envelope)}\n`));
    connection.setEncoding("utf8").setTimeout(TIMEOUT_MS, () => {
      reject(silentError(null));
      connection.destroy();
    });
    connection.on("data", (part: string) => text += part);
    connection.on("error", (error) => reject(explainConnect(error, socket)));
    connection.on("close", () => {
      if (text === "") reject(new Error("Cannot send the event: the server gave no answer"));
      else resolve(JSON.parse(text) as Answer);
    });
    connection.on("end", () => connection.end());
  });
}
