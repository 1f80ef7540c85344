import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../../simulator/errors.ts';
import { SCORER_VERSION } from '../../simulator/metrics/quality/score-text.ts';
import type { CompileOptions } from '../../simulator/replay/compile.ts';
import type { CountText } from '../../simulator/replay/count.ts';
import type { Origin } from '../../simulator/report/origin.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import type { SummaryRow } from '../../simulator/report/summarizers/summary-row.ts';
import type { SummarizersProvenance } from '../../simulator/report/summarizers/summarizers-report.ts';
import type { SummarizersInput } from '../../simulator/sweep/summarizers/build-report.ts';
import { calibrateJudges } from '../../simulator/sweep/summarizers/calibrate-judge.ts';
import {
  armKey,
  rowKey,
  watchModels,
  whyScenariosDiffer,
} from '../../simulator/sweep/summarizers/comparable.ts';
import { joinFamilies } from '../../simulator/sweep/join-families.ts';
import { compileOptionsFor } from '../../simulator/sweep/run/prepare-runs.ts';
import { countRepeats } from '../../simulator/sweep/summarizers/count-repeats.ts';
import { orderRows } from '../../simulator/sweep/summarizers/order-rows.ts';
import { type ArmsContext, runArms } from '../../simulator/sweep/summarizers/run-arms.ts';
import type { ProbePanel } from '../../simulator/sweep/summarizers/probe-trial.ts';
import {
  prepareScenario,
  type SummaryScenario,
} from '../../simulator/sweep/summarizers/scenario.ts';
import type { ImportReport } from '../../simulator/session/session.ts';
import { withCounters } from '../options/counters.ts';
import type { CliIo } from '../process/io.ts';
import { type ShowProgress, withProgress } from '../process/progress.ts';
import { openPanel, type PanelPlan } from './panel.ts';
import type { SummaryInput, SummaryInputs } from './sessions.ts';

/** What is run, and with what besides. */
export interface SummarizersRun {
  readonly context: Omit<ArmsContext, 'known' | 'signal' | 'panel'>;
  readonly origin: Origin;
  /** Who is asked about what is left; nobody where it is absent. */
  readonly panel?: PanelPlan | undefined;
  readonly inputs: SummaryInputs;
  /** Rows that are there already. */
  readonly rows: readonly SummaryRow[];
  /** Whether no model is asked, so that none can be another than before. */
  readonly isDryRun: boolean;
  /** Told each new row. */
  readonly onRow: (row: SummaryRow) => void;
}

/** What came of it. */
export interface SummarizersFindings extends SummarizersInput {
  /** What could not be read of each session that was. */
  readonly dropped: readonly ImportReport['dropped'][];
}

/** Why what came of it cannot be compared. */
export interface Incomparable {
  readonly incomparable: string;
}

/** A row, an input that gave none, or a session that is to be run. */
type Item =
  | { readonly type: 'row'; readonly row: SummaryRow }
  | { readonly type: 'unread'; readonly unread: UnreadInput }
  | {
      readonly type: 'session';
      readonly name: string;
      readonly hash: string;
      readonly dropped: ImportReport['dropped'];
    };

interface OpenRun extends Omit<SummarizersRun, 'panel'> {
  readonly panel: ProbePanel | undefined;
  readonly compile: CompileOptions;
  readonly show: ShowProgress;
  readonly signal: AbortSignal;
}

type Gathered = Pick<SummarizersFindings, 'rows' | 'unread' | 'dropped'>;

/** Runs every arm on every session, until rows cannot be compared; `undefined` if the user wanted to stop. */
export async function runSummarizers(
  run: SummarizersRun,
  io: CliIo,
): Promise<SummarizersFindings | Incomparable | undefined> {
  const { signal } = io;
  // Every request that waits listens to it.
  setMaxListeners(0, signal);
  try {
    return await withCounters(io, async (counters) => {
      const count = await counters.of(run.context.model.id);
      return await withProgress(io, (show) => findIn(run, { count, show, signal }));
    });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

async function findIn(
  run: SummarizersRun,
  { count, show, signal }: Pick<OpenRun, 'show' | 'signal'> & { readonly count: CountText },
): Promise<SummarizersFindings | Incomparable | undefined> {
  const { context } = run;
  const panel = run.panel && openPanel(run.panel, { count, signal });
  const judges = panel?.judges.map((judge) => judge(1)) ?? [];
  const calibration = judges.length === 0 ? undefined : await calibrateJudges(judges, context.seed);
  const compile = compileOptionsFor(context.model.id, count);
  const gathered = await gather({ ...run, panel, compile, show, signal });
  if (signal.aborted) return undefined;
  if ('incomparable' in gathered) return gathered;
  const { rows, unread, dropped } = gathered;
  const families = knownFamilies(rows, run.inputs);
  const provenance = toProvenance(run, rows, families);
  return { rows, unread, dropped, calibration, provenance };
}

/** All rows in the order of the plan. What is on its way when the user wants to stop is waited for, for it may be done. */
async function gather(run: OpenRun): Promise<Gathered | Incomparable> {
  const rows = [...run.rows];
  const unread: UnreadInput[] = [];
  const scenarios: string[] = [];
  const dropped: ImportReport['dropped'][] = [];
  const whyOtherModel = run.isDryRun ? () => undefined : watchModels();
  for (const row of rows) whyOtherModel(row);
  for await (const item of itemsOf(run)) {
    if (item.type === 'unread') unread.push(item.unread);
    else if (item.type === 'session') {
      scenarios.push(item.name);
      dropped.push(item.dropped);
    }
    const incomparable =
      item.type === 'row' ? whyOtherModel(item.row) : whyOtherSession(rows, item);
    if (incomparable !== undefined) return { incomparable };
    if (item.type === 'row') {
      rows.push(item.row);
      run.onRow(item.row);
    }
    // A trial blocks; a signal is heard only between two of them.
    await setImmediate();
  }
  const arms = run.context.arms.map(({ summarizer, prompt }) =>
    armKey({ summarizer: summarizer.name, promptHash: prompt.hash }),
  );
  return { rows: orderRows(rows, { arms, scenarios }), unread, dropped };
}

/** Told before a session is run beside rows of another one of its name. */
function whyOtherSession(rows: readonly SummaryRow[], item: Item): string | undefined {
  if (item.type !== 'session') return undefined;
  const own = rows.filter(({ scenario }) => scenario === item.name);
  return whyScenariosDiffer([...own, { scenario: item.name, scenarioHash: item.hash }]);
}

async function* itemsOf(run: OpenRun): AsyncGenerator<Item, void, void> {
  const { context, panel, inputs, show, signal } = run;
  const known = new Set(run.rows.map(rowKey));
  let index = 0;
  for (const input of inputs.sessions) {
    if (signal.aborted) return;
    if (input.state === 'read') {
      const { name: file } = input.session;
      show({ file, index, total: Math.max(inputs.total, index + 1) });
      index += 1;
    }
    const prepared = prepare(input, run);
    if ('reason' in prepared) {
      yield { type: 'unread', unread: prepared };
      continue;
    }
    const dropped = input.state === 'read' ? input.session.report.dropped : {};
    yield { type: 'session', name: prepared.name, hash: prepared.hash, dropped };
    const rows = runArms(prepared, { ...context, panel, known, signal });
    for await (const row of rows) yield { type: 'row', row };
  }
}

/** A session that cannot be compiled does not stop the others. */
function prepare(
  input: SummaryInput,
  { compile, inputs: { families } }: Pick<OpenRun, 'compile' | 'inputs'>,
): SummaryScenario | UnreadInput {
  if (input.state === 'unread') return input.unread;
  try {
    const family = families.get(input.session.name);
    return { ...prepareScenario(input.session, compile), family };
  } catch (error) {
    const reason = messageOf(error);
    return { file: input.session.name, reason };
  }
}

/** Rows that were there may be of sessions that are none of the inputs. */
function knownFamilies(
  rows: readonly SummaryRow[],
  { families }: SummaryInputs,
): ReadonlyMap<string, string> {
  const told = rows.map(({ scenario: session, family }) => ({ session, family }));
  const found = [...families].map(([session, family]) => ({ session, family }));
  return joinFamilies([{ rows: told }, { rows: found }]);
}

function toProvenance(
  { context, origin }: Pick<SummarizersRun, 'context' | 'origin'>,
  rows: readonly SummaryRow[],
  families: ReadonlyMap<string, string>,
): SummarizersProvenance {
  const { policy, model, pivots, compactAt, seed, repeats, bench } = context;
  const scenarios = new Map(
    rows.map(({ scenario: name, scenarioHash: hash, facts }) => {
      const family = families.get(name);
      return [name, { name, hash, facts, ...(family !== undefined && { family }) }];
    }),
  );
  return {
    origin,
    scorerVersion: SCORER_VERSION,
    bench: bench.hash,
    policy: policy.name,
    model: model.id,
    pivots,
    compactAt: compactAt ?? 'policy',
    seed,
    ...countRepeats(rows, repeats),
    scenarios: [...scenarios.values()],
  };
}
