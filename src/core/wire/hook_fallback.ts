/** What the launcher tells the program that it starts in its own place. */

/** Pid of the hook's caller: the launcher, between the two, will be gone. */
export const CALLER_VARIABLE = "MYTTY_HOOK_PID";

/** When set, the portable form ends with a failure at once instead of unpacking itself. */
export const NO_UNPACK_VARIABLE = "MYTTY_NO_UNPACK";
