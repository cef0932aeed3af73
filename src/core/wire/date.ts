/** ISO 8601 date-times as the protocol allows them: fractions of any length, `Z` or an offset. */

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,18}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/;

/** Times whose ISO text has a four-digit year; no other is a time that anybody meant. */
export const MIN_MILLIS = -62_167_219_200_000;
export const MAX_MILLIS = 253_402_300_799_999;

/** Milliseconds since the epoch, or null for text that is no date-time. A zone is required. */
export function isoMillis(text: string): number | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) =>
    Number(part ?? 0)
  ) as [number, number, number, number, number, number];
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  if (!isReal(local, { year, month, day, hour, minute, second })) return null;
  const offset = offsetMillis(match);
  if (offset === null) return null;
  const millis = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const result = local + millis - offset;
  return result < MIN_MILLIS || result > MAX_MILLIS ? null : result;
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

function offsetMillis(match: RegExpExecArray): number | null {
  if (match[8] === undefined) return 0;
  const [hours, minutes] = [Number(match[9]), Number(match[10] ?? 0)];
  if (hours > 23 || minutes > 59) return null;
  return (match[8] === "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
