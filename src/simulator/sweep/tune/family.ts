/** Sessions that are one observation: those of a family, or one that stands alone. */
export type Family = readonly string[];

/** The mean of a family, which counts as much as a session that stands alone; not a number where it is unknown for any. */
export function meanOfFamily(family: Family, valueOf: (session: string) => number): number {
  return family.reduce((total, session) => total + valueOf(session), 0) / family.length;
}
