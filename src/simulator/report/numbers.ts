/** What stands for a number that is unknown. */
export const UNKNOWN = '–';

const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/** An integer with its thousands set apart. */
export function formatCount(value: number | null): string {
  return value === null ? UNKNOWN : String(value).replace(THOUSANDS, ',');
}

/** A share in whole percent; of nothing it is unknown. */
export function formatShare(part: number, whole: number): string {
  return whole === 0 ? UNKNOWN : `${Math.round((100 * part) / whole)} %`;
}
