/** How long one hook may take, how often it tries, what it says: the same for both transports. */

/** Over everything one hook does: reading, connecting, writing, the answer, pauses. */
export const HOOK_BUDGET_MS = 400;

/** Of the budget, kept for sending when stdin does not end. */
export const SEND_RESERVE_MS = 150;

/** Of the budget, kept for the script's spool file and log line, should the answer not come. */
export const SPOOL_RESERVE_MS = 50;

export const ATTEMPTS = 3;
export const PAUSE_MS = 20;

/** A header value longer than this is no pane's name and no pid: it is left out. */
export const MAX_HEADER_CHARS = 2_048;

/** Said where stdin gave not one byte in its time: there is nothing to send or to keep. */
export const NOTHING_CAME = "nothing came on stdin in time";
