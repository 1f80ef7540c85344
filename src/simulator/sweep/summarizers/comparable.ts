import { quoted } from '../../names.ts';
import type { SummaryRow } from '../../report/summarizers/summary-row.ts';

type Field = 'rowVersion' | 'scorerVersion' | 'bench' | 'reader';

const SHARED: readonly (readonly [field: Field, label: string])[] = [
  ['rowVersion', 'version of rows'],
  ['scorerVersion', 'version of the scorer'],
  ['bench', 'policy, places of compaction, tokenizer or seed'],
  ['reader', 'reader or judge of questions'],
];

/** What tells a row from all others that it may be compared with. */
export function rowKey({
  summarizer,
  promptHash,
  scenario,
  repeat,
}: Pick<SummaryRow, 'summarizer' | 'promptHash' | 'scenario' | 'repeat'>): string {
  return JSON.stringify([summarizer, promptHash, scenario, repeat]);
}

/** What tells an arm from others. */
export function armKey({
  summarizer,
  promptHash,
}: Pick<SummaryRow, 'summarizer' | 'promptHash'>): string {
  return JSON.stringify([summarizer, promptHash]);
}

/** Why rows cannot be compared; absent where they can. */
export function whyIncomparable(rows: readonly SummaryRow[]): string | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  for (const [field, label] of SHARED) {
    const other = rows.find((row) => row[field] !== first[field]);
    if (other !== undefined) return `the rows differ in their ${label}`;
  }
  return whyScenariosDiffer(rows) ?? whyModelsDiffer(rows);
}

function whyScenariosDiffer(rows: readonly SummaryRow[]): string | undefined {
  const found = firstConflict(
    rows,
    ({ scenario }) => scenario,
    ({ scenarioHash }) => scenarioHash,
  );
  return found && `the session ${quoted(found.scenario)} is not the same in all rows`;
}

/** A provider may put another model behind a name from one day to the next. */
function whyModelsDiffer(rows: readonly SummaryRow[]): string | undefined {
  const answered = rows.filter(({ pivots }) => pivots.length > 0);
  const found = firstConflict(answered, armKey, ({ model }) => model);
  return found && `more than one model answered as ${quoted(found.summarizer)}`;
}

function firstConflict(
  rows: readonly SummaryRow[],
  keyOf: (row: SummaryRow) => string,
  valueOf: (row: SummaryRow) => string,
): SummaryRow | undefined {
  const values = new Map<string, string>();
  return rows.find((row) => {
    const known = values.get(keyOf(row));
    if (known === undefined) values.set(keyOf(row), valueOf(row));
    return known !== undefined && known !== valueOf(row);
  });
}
