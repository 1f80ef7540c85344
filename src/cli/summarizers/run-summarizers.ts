import { setMaxListeners } from 'node:events';
import { SCORER_VERSION } from '../../simulator/metrics/quality/score-text.ts';
import type { CountText } from '../../simulator/replay/count.ts';
import type { Origin } from '../../simulator/report/origin.ts';
import type { SummaryRow } from '../../simulator/report/summarizers/summary-row.ts';
import type { SummarizersProvenance } from '../../simulator/report/summarizers/summarizers-report.ts';
import type { SummarizersInput } from '../../simulator/sweep/summarizers/build-report.ts';
import { calibrateJudges } from '../../simulator/sweep/summarizers/calibrate-judge.ts';
import { joinFamilies } from '../../simulator/sweep/join-families.ts';
import { compileOptionsFor } from '../../simulator/sweep/run/prepare-runs.ts';
import { countRepeats } from '../../simulator/sweep/summarizers/count-repeats.ts';
import { withCounters } from '../options/counters.ts';
import type { CliIo } from '../process/io.ts';
import { withProgress } from '../process/progress.ts';
import {
  type GatheredRows,
  gatherRows,
  type Incomparable,
  type OpenRun,
  type RowsPlan,
} from './gather-rows.ts';
import { openPanel, type PanelPlan } from './panel.ts';
import type { SummaryInputs } from './sessions.ts';

/** What is run, and with what besides. */
export interface SummarizersRun extends RowsPlan {
  readonly origin: Origin;
  /** Who is asked about what is left; nobody where it is absent. */
  readonly panel?: PanelPlan | undefined;
}

/** What came of it. */
export type SummarizersFindings = SummarizersInput & Pick<GatheredRows, 'dropped'>;

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
  const gathered = await gatherRows({ ...run, panel, compile, show, signal });
  if (signal.aborted) return undefined;
  if ('incomparable' in gathered) return gathered;
  const { rows, unread, dropped } = gathered;
  const families = knownFamilies(rows, run.inputs);
  const provenance = toProvenance(run, rows, families);
  return { rows, unread, dropped, calibration, provenance };
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
