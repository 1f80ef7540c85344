import { groupBy } from '../../lib/collections.ts';
import { quoted } from '../../lib/names.ts';
import { compareTexts, listed } from '../../lib/text.ts';
import type { BenchConditions, SummarizerSettings, SummaryRow } from '../../report/arm-metrics.ts';

/** Fields that all rows of a comparison share. */
export type SharedFields = Pick<
  SummaryRow,
  'rowVersion' | 'scorerVersion' | 'bench' | 'conditions' | 'reader' | 'questions'
>;

/** The order that a plan has. */
interface PlannedOrder {
  /** Keys of arms. */
  readonly arms: readonly string[];
  /** Names of sessions. */
  readonly scenarios: readonly string[];
}

/** How often sessions were run under an arm. */
interface RepeatCount {
  readonly repeats: number;
  /** Of the arm and the session that have the fewest; absent where all have as many. */
  readonly leastRepeats?: number;
}

const SHARED: readonly (readonly [field: keyof SharedFields, label: string])[] = [
  ['rowVersion', 'version of rows'],
  ['scorerVersion', 'version of the scorer'],
  ['bench', 'policy, model, number or places of compactions, tokenizer or seed'],
  ['reader', 'reader of questions'],
  ['questions', 'version of the questions, or wording of what the reader is told'],
];

const CONDITIONS: readonly (readonly [name: keyof BenchConditions, label: string])[] = [
  ['policy', 'policy'],
  ['model', 'model or its limits'],
  ['pivots', 'number of compactions'],
  ['places', 'places of compactions'],
  ['tokenizer', 'tokenizer'],
  ['seed', 'seed'],
];

/** Key of a row among comparable ones. */
export function rowKey({
  summarizer,
  promptHash,
  scenario,
  repeat,
}: Pick<SummaryRow, 'summarizer' | 'promptHash' | 'scenario' | 'repeat'>): string {
  return JSON.stringify([summarizer, promptHash, scenario, repeat]);
}

/** Key of an arm. */
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
  return (
    whyNotShared(rows, first) ??
    whyScenariosDiffer(rows) ??
    whySettingsDiffer(rows) ??
    whyModelsDiffer(rows) ??
    whyOneRunDiffers(rows)
  );
}

/** Why rows have nothing to do with those that are to come; absent where they have. */
export function whyNotShared(
  rows: readonly SummaryRow[],
  expected: SharedFields,
): string | undefined {
  const found = SHARED.find(([field]) => rows.some((row) => row[field] !== expected[field]));
  if (found === undefined) return undefined;
  const [field, label] = found;
  const own = field === 'bench' ? nameConditions(rows, expected) : [];
  return `the rows differ in their ${own.length === 0 ? label : listed(own, 'and')}`;
}

/** Why a summarizer with these settings cannot stand beside rows of its name; absent where it can. */
export function whySettingsDiffer(
  rows: readonly Pick<SummaryRow, 'summarizer' | 'settings'>[],
): string | undefined {
  const found = firstConflict(
    rows,
    ({ summarizer }) => summarizer,
    ({ settings }) => settingsKey(settings),
  );
  return found && `${quoted(found.summarizer)} was asked with more than one setting`;
}

/** Why sessions of one name are not one session; absent where they are. */
export function whyScenariosDiffer(
  rows: readonly Pick<SummaryRow, 'scenario' | 'scenarioHash'>[],
): string | undefined {
  const found = firstConflict(
    rows,
    ({ scenario }) => scenario,
    ({ scenarioHash }) => scenarioHash,
  );
  return found && `the session ${quoted(found.scenario)} is not the same in all rows`;
}

/** Tells of each row whether a name in it stood for another model before: a provider may put one behind it any day. */
export function watchModels(): (row: SummaryRow) => string | undefined {
  const seen = new Map<string, string>();
  return (row) => {
    const answered = answeredBy(row);
    const other = answered.find(({ name, model }) => (seen.get(name) ?? model) !== model);
    for (const { name, model } of answered) seen.set(name, seen.get(name) ?? model);
    return other && `more than one model answered as ${quoted(other.name)}`;
  };
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

/** Rows of which none is a repetition that cannot differ from another one: of those the first stands for all. */
export function withoutCopies(rows: readonly SummaryRow[]): readonly SummaryRow[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    if (row.isRandom) return true;
    const key = JSON.stringify([armKey(row), row.scenario]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** How often sessions were run, as rows have it; by the plan where there is no row. */
export function countRepeats(rows: readonly SummaryRow[], planned: number): RepeatCount {
  const groups = groupBy(rows, (row) => JSON.stringify([armKey(row), row.scenario]));
  const counts = [...groups.values()].map(({ length }) => length);
  if (counts.length === 0) return { repeats: planned };
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return { repeats: most, ...(least < most && { leastRepeats: least }) };
}

function whyModelsDiffer(rows: readonly SummaryRow[]): string | undefined {
  return rows.map(watchModels()).find((why) => why !== undefined);
}

/** One run that came to two things would count as two. */
function whyOneRunDiffers(rows: readonly SummaryRow[]): string | undefined {
  const found = [...groupBy(rows, rowKey).values()].find(({ length }) => length > 1)?.[0];
  if (found === undefined) return undefined;
  const { summarizer, scenario, repeat } = found;
  return `more than one row has repetition ${repeat} of ${quoted(summarizer)} on ${quoted(scenario)}`;
}

/** The conditions that are not the same; none where rows do not tell. */
function nameConditions(
  rows: readonly SummaryRow[],
  { conditions: expected }: SharedFields,
): readonly string[] {
  const told = rows.flatMap(({ conditions }) => conditions ?? []);
  return CONDITIONS.filter(([name]) =>
    told.some((conditions) => differs(conditions[name], expected?.[name])),
  ).map(([, label]) => label);
}

/** Returns true if two conditions differ; an unknown one differs from nothing. */
function differs(own: string | undefined, other: string | undefined): boolean {
  return own !== undefined && other !== undefined && own !== other;
}

function firstConflict<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  valueOf: (row: Row) => string,
): Row | undefined {
  const values = new Map<string, string>();
  return rows.find((row) => {
    const known = values.get(keyOf(row));
    if (known === undefined) values.set(keyOf(row), valueOf(row));
    return known !== undefined && known !== valueOf(row);
  });
}

function settingsKey(settings: SummarizerSettings = {}): string {
  return JSON.stringify(Object.entries(settings).toSorted(([a], [b]) => compareTexts(a, b)));
}

/** Who answered in a row, as a summarizer or as a reader. */
function answeredBy({ summarizer, model, pivots, reader, readerModel }: SummaryRow) {
  const ofReader =
    reader === undefined || readerModel === undefined ? [] : [{ name: reader, model: readerModel }];
  return pivots.length > 0 ? [{ name: summarizer, model }, ...ofReader] : ofReader;
}

function placesOf(
  names: readonly string[],
  planned: readonly string[],
): ReadonlyMap<string, number> {
  const known = new Set(planned);
  const others = names.filter((name) => !known.has(name));
  return new Map([...new Set([...others, ...planned])].map((name, place) => [name, place]));
}
