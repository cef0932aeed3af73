/** `text` as one word of a POSIX shell, whatever it contains. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_/.:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
