/**
 * When a page was last changed, as sitemaps and feeds write it.
 *
 * @module
 */

const W3C =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d\d:?\d\d)?)?)?)?$/i;

/** The names that RFC 822 has for them, as feeds write them. */
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const RFC822 =
  /^(?:[a-z]{3,9},? )?(\d{1,2}) ([a-z]{3})[a-z]{0,6} (\d{2}|\d{4})(?: (\d\d):(\d\d)(?::(\d\d))?(?: ([a-z]{1,5}|[+-]\d{4}))?)?$/i;
const ZONES: Readonly<Record<string, number>> = {
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
};

/**
 * Unix ms of a W3C datetime (`2024`, `2024-05`, `2024-05-06`, `2024-05-06T07:08:09+02:00`) or of the
 * dates that RSS has (`Mon, 06 May 2024 07:08:09 GMT`); where no zone is given, UTC. Of a date without
 * a time it is the day's start.
 *
 * @returns Undefined for what is neither, and for days that no calendar has.
 */
export function parseLastmod(value: string): number | undefined {
  if (value.length > 64) return undefined;
  const text = value.trim().replace(/\s+/g, " ");
  const w3c = W3C.exec(text);
  if (w3c !== null) {
    const [, year, month = "1", day = "1", hour = "0", minute = "0", second = "0", zone = "Z"] =
      w3c;
    return moment(+year!, +month, +day, +hour, +minute, +second, offsetOf(zone));
  }
  const rfc = RFC822.exec(text);
  if (rfc === null) return undefined;
  const [, day, name, year, hour = "0", minute = "0", second = "0", zone = "GMT"] = rfc;
  const month = MONTHS.indexOf(name!.toLowerCase()) + 1;
  const full = year!.length === 4 ? +year! : +year! + (+year! < 70 ? 2000 : 1900);
  return moment(full, month, +day!, +hour, +minute, +second, offsetOf(zone));
}

/** Minutes east of Greenwich; undefined for none that there is. */
function offsetOf(zone: string): number | undefined {
  const sign = zone[0] === "+" ? 1 : zone[0] === "-" ? -1 : 0;
  if (sign === 0) return ZONES[zone.toLowerCase()] ?? 0;
  const digits = zone.slice(1).replace(":", "");
  const hours = +digits.slice(0, 2), minutes = +digits.slice(2);
  return hours > 14 || minutes > 59 ? undefined : sign * (hours * 60 + minutes);
}

function moment(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  offset: number | undefined,
): number | undefined {
  if (
    offset === undefined || year < 1900 || month < 1 || month > 12 || hour > 24 || minute > 59 ||
    second > 60
  ) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCDate() !== day || date.getUTCMonth() !== month - 1) return undefined;
  return date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000;
}
