/** The program's version, and the number that is raised with any change of a wire format. */

export const VERSION = "0.1.0";
/** Day of this version, as at the top of CHANGELOG.md. */
export const RELEASED = "2026-11-30";
export const PROTOCOL = 1;
