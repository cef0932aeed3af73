/** The program's version, and the number that is raised with any change of a wire format. */

export const VERSION = "0.1.0";
export const PROTOCOL = 1;
