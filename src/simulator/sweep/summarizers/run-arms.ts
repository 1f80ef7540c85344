import { HarnessError, messageOf } from '../../errors.ts';
import { QUESTION_TEXTS } from '../../metrics/probes/question-texts.ts';
import { SCORER_VERSION } from '../../metrics/quality/score-text.ts';
import { type SummaryRow, SUMMARY_ROW_VERSION } from '../../report/summarizers/summary-row.ts';
import type { SummaryArm } from './arm.ts';
import type { Bench } from './bench-of.ts';
import { rowKey, type SharedFields } from './comparable.ts';
import { type ProbedTrial, type ProbePanel, probeTrial } from './probe-trial.ts';
import { runTrial, type TrialContext, type TrialResult } from './run-trial.ts';
import { summaryHash, type SummaryScenario } from './scenario.ts';

/** What is compared, and how. */
export interface ArmsContext extends TrialContext {
  readonly arms: readonly SummaryArm[];
  readonly repeats: number;
  /** What all rows have to share. */
  readonly bench: Bench;
  /** Keys of rows that are there already. */
  readonly known: ReadonlySet<string>;
  /** Who is asked about what is left; nobody where it is absent. */
  readonly panel?: ProbePanel | undefined;
}

type Trial =
  | (TrialResult & Partial<ProbedTrial>)
  | { readonly state: 'broken'; readonly reason: string };

/** All that reader and judges are told beside the session, as a hash. */
const QUESTIONS_HASH = summaryHash(QUESTION_TEXTS);

/** Rows of one session under every arm, as they come. What is there already is not run again. */
export async function* runArms(
  scenario: SummaryScenario,
  context: ArmsContext,
): AsyncGenerator<SummaryRow, void, void> {
  for (const arm of context.arms) {
    if (context.signal?.aborted) return;
    const rows = repeatsOf(context).map((repeat) => emptyRow(scenario, arm, { context, repeat }));
    const wanted = rows.filter((row) => !context.known.has(rowKey(row)));
    const start = (row: SummaryRow) => tryTrial(scenario, arm, { ...context, repeat: row.repeat });
    if (arm.summarizer.isAsync === true) {
      // What waits for an answer waits for all of them at once.
      yield* asTheyCome(wanted.map(async (row) => fillRow(row, await start(row))));
    } else yield* runInTurn(wanted, start, context.signal);
  }
}

/** What every row of a comparison has in common. */
export function sharedFields({
  bench,
  panel,
}: Pick<ArmsContext, 'bench'> & {
  readonly panel?: Pick<ProbePanel, 'name'> | undefined;
}): SharedFields {
  return {
    rowVersion: SUMMARY_ROW_VERSION,
    scorerVersion: SCORER_VERSION,
    bench: bench.hash,
    conditions: bench.conditions,
    ...(panel && { reader: panel.name, questions: QUESTIONS_HASH }),
  };
}

/** What besides its name decides a summarizer's answers; absent where nothing does. */
export function settingsOf(summarizer: SummaryArm['summarizer']): SummaryRow['settings'] {
  const settings = summarizer.isAsync === true ? summarizer.settings : undefined;
  return settings && Object.keys(settings).length > 0 ? settings : undefined;
}

function repeatsOf({ repeats }: ArmsContext): readonly number[] {
  return Array.from({ length: repeats }, (_, index) => index + 1);
}

/** Rows in their order; where chance has no part, the first one stands for all. */
async function* runInTurn(
  rows: readonly SummaryRow[],
  start: (row: SummaryRow) => Promise<Trial>,
  signal: AbortSignal | undefined,
): AsyncGenerator<SummaryRow, void, void> {
  let same: Trial | undefined;
  for (const row of rows) {
    if (signal?.aborted) return;
    const trial = same ?? (await start(row));
    if (!('state' in trial) && !trial.isRandom) same = trial;
    yield fillRow(row, trial);
  }
}

/** Values in the order in which they are there, until one rejects. */
async function* asTheyCome<Value>(
  promises: readonly Promise<Value>[],
): AsyncGenerator<Value, void, void> {
  const waiting = new Map(
    promises.map((promise, index) => [index, promise.then((value) => ({ index, value }))]),
  );
  while (waiting.size > 0) {
    const { index, value } = await Promise.race(waiting.values());
    waiting.delete(index);
    yield value;
  }
}

/** A trial that breaks is a row with its reason, and the others go on; what is set up wrongly breaks them all. */
async function tryTrial(
  scenario: SummaryScenario,
  arm: SummaryArm,
  context: ArmsContext & { readonly repeat: number },
): Promise<Trial> {
  try {
    const trial = await runTrial(scenario, arm, context);
    if (context.panel === undefined) return trial;
    const probed = await probeTrial(scenario, trial, { ...context.panel, repeat: context.repeat });
    const [reason] = probed.unanswered;
    const isMute = probed.probes.length === 0 && reason !== undefined;
    return isMute ? { state: 'broken', reason } : { ...trial, ...probed };
  } catch (error) {
    if (error instanceof HarnessError && error.code === 'BAD_OPTION') throw error;
    return { state: 'broken', reason: messageOf(error) };
  }
}

function emptyRow(
  { name, hash, family, factSource }: SummaryScenario,
  { summarizer, prompt }: SummaryArm,
  { context, repeat }: { readonly context: ArmsContext; readonly repeat: number },
): SummaryRow {
  const settings = settingsOf(summarizer);
  return {
    ...sharedFields(context),
    scenario: name,
    scenarioHash: hash,
    ...(family !== undefined && { family }),
    facts: factSource,
    summarizer: summarizer.name,
    ...(settings && { settings }),
    model: summarizer.name,
    prompt: prompt.name,
    promptHash: prompt.hash,
    repeat,
    isRandom: true,
    pivots: [],
    survival: [],
    viewSurvival: [],
  };
}

function fillRow(row: SummaryRow, trial: Trial): SummaryRow {
  if ('state' in trial) {
    return { ...row, missing: { pivot: 1, state: 'broken', reason: trial.reason } };
  }
  const { pivots, survival, viewSurvival, missing, isRandom, model = row.model } = trial;
  const { probes, unanswered = [], readerModels = {} } = trial;
  return {
    ...row,
    model,
    isRandom,
    pivots,
    survival,
    viewSurvival,
    ...(probes && { probes }),
    ...(unanswered.length > 0 && { unanswered }),
    ...(Object.keys(readerModels).length > 0 && { readerModels }),
    ...(missing && { missing }),
  };
}
