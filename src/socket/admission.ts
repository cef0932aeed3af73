/**
 * Which of the event socket's connections are read. One that has sent nothing yet costs next to
 * nothing: it is listened to at once, however many there are. What the others have sent and got no
 * answer for is bounded: while that is full, more wait in order, unread and without a deadline.
 */

import type { Socket } from "node:net";
import { guardDeadlines } from "./envelope_connection.ts";

/** Connections that have begun to speak and are not closed yet. */
export const MAX_SPEAKING = 4_096;

/** What they have sent together; no newcomer is read beyond it. */
const MAX_HELD_BYTES = 64 * 1_048_576;

/** Beyond this the one that sends still more is closed: its sender retries, or spools. */
const MOST_HELD_BYTES = 2 * MAX_HELD_BYTES;

/** So many of those that waited are listened to at a time: all of them may begin to speak at once. */
const BATCH = 64;
const BATCH_PAUSE_MS = 5;

/** Told of every part that is kept until the answer, the first one excepted. */
export type Count = (bytes: number) => void;

export type AdmissionHandlers = {
  /** The first bytes have come; the socket is still flowing. */
  readonly speak: (socket: Socket, first: Uint8Array, count: Count) => void;
  /** The stream ended before its first byte. */
  readonly empty: (socket: Socket) => void;
};

export class Admission {
  readonly #handlers: AdmissionHandlers;
  /** Silent so far, each with what makes it wait unread. */
  readonly #listening = new Map<Socket, () => void>();
  readonly #waiting: Socket[] = [];
  #speaking = 0;
  #held = 0;
  #isPumping = false;

  constructor(handlers: AdmissionHandlers) {
    this.#handlers = handlers;
  }

  /** `socket` must be paused. */
  admit(socket: Socket): void {
    if (this.#isFull || this.#waiting.length > 0) this.#waiting.push(socket);
    else this.#listen(socket);
  }

  get #isFull(): boolean {
    return this.#speaking >= MAX_SPEAKING || this.#held >= MAX_HELD_BYTES;
  }

  #listen(socket: Socket): void {
    if (socket.destroyed) return;
    const endDeadlines = guardDeadlines(socket);
    const onFirst = (first: Uint8Array) => {
      release();
      this.#speak(socket, first);
    };
    const onEnd = () => {
      release();
      this.#handlers.empty(socket);
    };
    const release = () => {
      this.#listening.delete(socket);
      socket.off("data", onFirst).off("end", onEnd).off("close", release);
    };
    this.#listening.set(socket, () => {
      socket.pause();
      release();
      endDeadlines();
    });
    socket.on("data", onFirst).on("end", onEnd).on("close", release);
    socket.resume();
  }

  #speak(socket: Socket, first: Uint8Array): void {
    let held = 0;
    const count = (bytes: number) => {
      held += bytes;
      this.#held += bytes;
      if (this.#held > MOST_HELD_BYTES) socket.destroy();
      else if (this.#isFull) this.#holdSilent();
    };
    this.#speaking++;
    socket.on("close", () => {
      this.#speaking--;
      this.#held -= held;
      held = 0;
      this.#pump();
    });
    count(first.length);
    this.#handlers.speak(socket, first, count);
  }

  /** Whoever speaks next would have to be kept as well. */
  #holdSilent(): void {
    const silent = [...this.#listening];
    silent.forEach(([, hold]) => hold());
    this.#waiting.unshift(...silent.map(([socket]) => socket));
  }

  #pump(): void {
    if (this.#isPumping || this.#isFull || this.#waiting.length === 0) return;
    this.#waiting.splice(0, BATCH).forEach((socket) => this.#listen(socket));
    this.#isPumping = true;
    setTimeout(() => {
      this.#isPumping = false;
      this.#pump();
    }, BATCH_PAUSE_MS);
  }
}
