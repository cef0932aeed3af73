/** What `mytty notify test` sends. */

import type { Notice, NoticePlace } from "../core/notify/notice.ts";

export function testNotice(id: string, place: NoticePlace): Notice {
  return {
    id,
    origin: "test",
    kind: "message",
    provider: null,
    runID: null,
    sessionID: null,
    toolName: null,
    title: "mytty test",
    body: "Notifications work: you will be told when an agent needs you",
    subject: "mytty test",
    place,
    child: false,
    late: false,
  };
}
