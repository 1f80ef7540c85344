import { messageOf } from '../../errors.ts';
import { SCORER_VERSION } from '../../metrics/quality/score-text.ts';
import { type SummaryRow, SUMMARY_ROW_VERSION } from '../../report/summarizers/summary-row.ts';
import type { SummaryArm } from './arm.ts';
import { rowKey } from './comparable.ts';
import { type ProbePanel, probeTrial } from './probe-trial.ts';
import { runTrial, type TrialBench, type TrialResult } from './run-trial.ts';
import { hashOf, type SummaryScenario } from './scenario.ts';

/** What is compared, and how. */
export interface ArmsBench extends TrialBench {
  readonly arms: readonly SummaryArm[];
  readonly repeats: number;
  /** Of what all rows have to share. */
  readonly benchHash: string;
  /** Keys of rows that are there already. */
  readonly known: ReadonlySet<string>;
  /** Who is asked about what is left; nobody where it is absent. */
  readonly panel?: ProbePanel | undefined;
}

type Trial =
  | (TrialResult & { readonly probes?: SummaryRow['probes'] })
  | { readonly state: 'broken'; readonly reason: string };

/** Rows of one session under every arm, as they come. What is there already is not run again. */
export async function* runArms(
  scenario: SummaryScenario,
  bench: ArmsBench,
): AsyncGenerator<SummaryRow, void, void> {
  for (const arm of bench.arms) {
    const rows = repeatsOf(bench).map((repeat) => emptyRow(scenario, arm, { bench, repeat }));
    const wanted = rows.filter((row) => !bench.known.has(rowKey(row)));
    yield* runRepeats(scenario, arm, { bench, rows: wanted });
  }
}

/** A hash of all that rows have to share to be compared. */
export function hashBench(
  { policy, model, seed, compactAt }: TrialBench,
  tokenizer: string,
): string {
  const { summary, ...rest } = policy;
  const { instruction: _, ...summaryRest } = summary;
  const limits = compactAt === undefined ? { ...model.limits, model: model.id } : 'none';
  const at = compactAt ?? 'policy';
  return hashOf(JSON.parse(JSON.stringify({ rest, summaryRest, seed, at, limits, tokenizer })));
}

function repeatsOf({ repeats }: ArmsBench): readonly number[] {
  return Array.from({ length: repeats }, (_, index) => index + 1);
}

async function* runRepeats(
  scenario: SummaryScenario,
  arm: SummaryArm,
  { bench, rows }: { readonly bench: ArmsBench; readonly rows: readonly SummaryRow[] },
): AsyncGenerator<SummaryRow, void, void> {
  const start = (row: SummaryRow) => tryTrial(scenario, arm, { ...bench, repeat: row.repeat });
  // What waits for an answer waits for all of them at once.
  const started = arm.summarizer.isAsync === true ? rows.map(start) : [];
  let same: Trial | undefined;
  for (const [index, row] of rows.entries()) {
    bench.signal?.throwIfAborted();
    const trial: Trial = same ?? (await (started[index] ?? start(row)));
    if (!('state' in trial) && !trial.isRandom) same = trial;
    yield fillRow(row, trial);
  }
}

/** A trial that breaks is a row with its reason; the others go on. */
async function tryTrial(
  scenario: SummaryScenario,
  arm: SummaryArm,
  bench: ArmsBench & { readonly repeat: number },
): Promise<Trial> {
  try {
    const trial = await runTrial(scenario, arm, bench);
    if (bench.panel === undefined) return trial;
    return {
      ...trial,
      probes: await probeTrial(scenario, trial, { ...bench.panel, repeat: bench.repeat }),
    };
  } catch (error) {
    return { state: 'broken', reason: messageOf(error) };
  }
}

function emptyRow(
  { name, hash, factSource }: SummaryScenario,
  { summarizer, prompt }: SummaryArm,
  { bench, repeat }: { readonly bench: ArmsBench; readonly repeat: number },
): SummaryRow {
  return {
    rowVersion: SUMMARY_ROW_VERSION,
    scorerVersion: SCORER_VERSION,
    bench: bench.benchHash,
    scenario: name,
    scenarioHash: hash,
    facts: factSource,
    summarizer: summarizer.name,
    model: summarizer.name,
    prompt: prompt.name,
    promptHash: prompt.hash,
    repeat,
    isRandom: true,
    pivots: [],
    ...(bench.panel && { reader: bench.panel.name }),
  };
}

function fillRow(row: SummaryRow, trial: Trial): SummaryRow {
  if ('state' in trial) {
    return { ...row, missing: { pivot: 1, state: 'broken', reason: trial.reason } };
  }
  const { pivots, missing, isRandom, probes, model = row.model } = trial;
  return {
    ...row,
    model,
    isRandom,
    pivots,
    ...(probes && { probes }),
    ...(missing && { missing }),
  };
}
