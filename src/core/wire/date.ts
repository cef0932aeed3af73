/** ISO 8601 date-times as the protocol allows them: fractions of any length, `Z` or an offset. */

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,18}))?)?(?:[Zz]|([+-])(\d\d):?(\d\d)?)$/;

/** Milliseconds since the epoch, or null for text that is no date-time. A zone is required. */
export function isoMillis(text: string): number | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) =>
    Number(part ?? 0)
  ) as [number, number, number, number, number, number];
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  if (!isReal(local, { year, month, day, hour, minute, second })) return null;
  const millis = Math.floor(Number(`0.${match[7] ?? 0}`) * 1000);
  return local + millis - offsetMillis(match);
}

type Fields = {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
};

/** Date.UTC rolls the 31st of February over; such a date was never meant. */
function isReal(local: number, fields: Fields): boolean {
  const date = new Date(local);
  return date.getUTCFullYear() === fields.year && date.getUTCMonth() === fields.month - 1 &&
    date.getUTCDate() === fields.day && fields.hour < 24 && fields.minute < 60 &&
    fields.second < 60;
}

function offsetMillis(match: RegExpExecArray): number {
  if (match[8] === undefined) return 0;
  const minutes = Number(match[9]) * 60 + Number(match[10] ?? 0);
  return (match[8] === "-" ? -minutes : minutes) * 60_000;
}
