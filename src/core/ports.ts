/** Small interfaces between the edges, which do not import one another; composed in `serve`. */

import type { LogRow } from "./event.ts";
import type { Notice, NoticePlace, OutsideNotice } from "./notice.ts";
import type { NoticeRecord } from "./notice_record.ts";
import type { Outcome } from "./outcome.ts";
import type { State } from "./state.ts";

/** Values of the configuration that may change while serving. */
export type Settings = { readonly idleAfter: number; readonly retention: number };

export type ChannelStatus = {
  readonly name: string;
  readonly active: boolean;
  /** Why it is not used, or how its last delivery went. */
  readonly detail: string;
};

/** Who tells the person. Nothing here blocks or throws: an event is never delayed by a channel. */
export interface Notifier {
  observe(applied: readonly { row: LogRow; outcome: Outcome }[], state: State): void;
  /** Words from elsewhere than an attention item: a terminal's notice, a Muxy event. */
  tell(words: OutsideNotice, state: State): void;
  /** Delivers a test notice, on one channel or on all active ones, whatever the rules say. */
  test(channel: string | null, place: NoticePlace): Promise<NoticeRecord>;
  /** Newest first. */
  records(): readonly NoticeRecord[];
  channels(): readonly ChannelStatus[];
  /** Told of each notice that outlived its hold time; returns the function that ends it. */
  onPosted(listener: (notice: Notice) => void): () => void;
  stop(): Promise<void>;
}
