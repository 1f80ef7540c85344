import type { SummaryRow } from '../../report/summarizers/summary-row.ts';
import { armKey } from './comparable.ts';

/** The order that a plan has. */
export interface PlannedOrder {
  /** Keys of arms. */
  readonly arms: readonly string[];
  /** Names of sessions. */
  readonly scenarios: readonly string[];
}

/**
 * Rows by arm, session and repetition as a plan has them, so that the same rows give the same report in whatever order
 * they came; what is in no plan was there before, and stands in front as it came.
 */
export function orderRows(
  rows: readonly SummaryRow[],
  { arms, scenarios }: PlannedOrder,
): readonly SummaryRow[] {
  const armPlace = placesOf(rows.map(armKey), arms);
  const scenarioPlace = placesOf(
    rows.map(({ scenario }) => scenario),
    scenarios,
  );
  const place = (row: SummaryRow) =>
    [armPlace.get(armKey(row)) ?? 0, scenarioPlace.get(row.scenario) ?? 0, row.repeat] as const;
  return rows.toSorted((a, b) => {
    const [ofA, ofB] = [place(a), place(b)];
    return ofA[0] - ofB[0] || ofA[1] - ofB[1] || ofA[2] - ofB[2];
  });
}

function placesOf(
  names: readonly string[],
  planned: readonly string[],
): ReadonlyMap<string, number> {
  const known = new Set(planned);
  const others = names.filter((name) => !known.has(name));
  return new Map([...new Set([...others, ...planned])].map((name, place) => [name, place]));
}
