/**
 * A number option within its range.
 *
 * @throws {RangeError} For one out of it, naming it.
 */
export function whole(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(
    `Cannot crawl: ${name} is ${value}, not a whole number from ${least} to ${most}`,
  );
}
