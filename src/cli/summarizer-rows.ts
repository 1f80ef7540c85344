import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { known } from '../simulator/lib/collections.ts';
import { messageOf } from '../simulator/lib/errors.ts';
import { badValue } from '../simulator/lib/names.ts';
import { SCORER_VERSION } from '../simulator/metrics/quality/score-text.ts';
import type { CompileOptions } from '../simulator/replay/compile.ts';
import type { SummaryRow } from '../simulator/report/arm-metrics.ts';
import type { Origin } from '../simulator/report/origin.ts';
import type { UnreadInput } from '../simulator/report/report.ts';
import type { SummarizersProvenance } from '../simulator/report/summarizers-report.ts';
import type { PlantedFact } from '../simulator/session/facts.ts';
import { loadSessions } from '../simulator/session/load.ts';
import { familiesWithCopies, findFileRepeats } from '../simulator/session/find-copies.ts';
import type { ImportReport, Session } from '../simulator/session/session.ts';
import type { SummarizerRegistry } from '../simulator/summarizer/open.ts';
import type { AnySummarizer } from '../simulator/summarizer/summarizer.ts';
import { joinFamilies } from '../simulator/sweep/compare/pair-sides.ts';
import { compileOptionsFor } from '../simulator/sweep/run/prepare.ts';
import type { SummarizersInput } from '../simulator/sweep/summarizers/build-report.ts';
import {
  prepareScenario,
  SHIPPED_SCENARIOS,
  type SummaryArm,
  shippedScenarios,
  type SummaryScenario,
} from '../simulator/sweep/summarizers/inputs.ts';
import {
  armKey,
  countRepeats,
  orderRows,
  type RowsFile,
  rowKey,
  whyModelsDiffer,
  whyScenariosDiffer,
} from '../simulator/sweep/summarizers/rows-file.ts';
import { type ArmsContext, runArms } from '../simulator/sweep/summarizers/run-arms.ts';
import { type RunInputs, withCounters } from './inputs.ts';
import type { CliIo } from './process/io.ts';
import { type ShowProgress, withProgress } from './process/progress.ts';

interface SummarizersRun {
  readonly context: ArmsContext;
  readonly origin: Origin;
  /** Absent: those of the package. */
  readonly found: RunInputs | undefined;
  /** Of a user's file; absent where sessions have their own. */
  readonly facts: readonly PlantedFact[] | undefined;
  readonly kept: RowsFile;
  /** No model is asked, so that none can have changed. */
  readonly isDryRun: boolean;
}

interface GatherOptions {
  readonly compile: CompileOptions;
  readonly show: ShowProgress;
  readonly signal: AbortSignal;
}

type SummarizersFindings = SummarizersInput & {
  readonly dropped: readonly ImportReport['dropped'][];
};

/** Runs every arm on every session, until rows cannot be compared; `undefined` if stopped. */
export async function runSummarizers(
  run: SummarizersRun,
  io: CliIo,
): Promise<SummarizersFindings | { readonly incomparable: string } | undefined> {
  const { id } = run.context.model;
  try {
    return await withCounters(io, async (counters) => {
      const compile = compileOptionsFor(id, await counters.of(id));
      return await withProgress(io, (show) => gather(run, { compile, show, signal: io.signal }));
    });
  } catch (error) {
    if (io.signal.aborted) return undefined;
    throw error;
  }
}

/** The model that answers questions; only real ones do. */
export function findReader(
  name: string,
  registry: Pick<SummarizerRegistry, 'find'>,
): AnySummarizer {
  if (name.includes(':')) return registry.find(name);
  throw badValue('--reader', "a real model as in 'ai:openai/gpt-5-mini'", name);
}

/** Requests on their way at a stop are waited for: they may be done. */
async function gather(
  { context, origin, found, facts, kept, isDryRun }: SummarizersRun,
  options: GatherOptions,
): ReturnType<typeof runSummarizers> {
  const rows = [...kept.rows];
  const keys = new Set(rows.map(rowKey));
  const unread = [...(found?.unread ?? [])];
  const scenarios: string[] = [];
  const dropped: ImportReport['dropped'][] = [];
  const families = found ? familiesWithCopies(await findFileRepeats(found.files)) : new Map();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  // Every request that waits listens to it.
  setMaxListeners(0, signal);
  let incomparable: string | undefined;
  const isStopped = (reason: string | undefined) => {
    incomparable ??= reason;
    if (incomparable !== undefined) stop.abort();
    return incomparable !== undefined;
  };
  const onRow = async (row: SummaryRow) => {
    if (isStopped(isDryRun ? undefined : whyModelsDiffer([...rows, row]))) return;
    rows.push(row);
    if (!isDryRun && isLasting(row)) kept.append(row);
    // A trial blocks; a signal is heard only between two of them.
    await setImmediate();
  };
  let index = 0;
  for (const loaded of found ? loadSessions(found.files) : shippedSessions()) {
    if (signal.aborted) break;
    if (loaded.state === 'unread') {
      unread.push({ file: loaded.file, reason: loaded.reason });
      continue;
    }
    const { name, report } = loaded.session;
    const total = Math.max(found?.files.length ?? SHIPPED_SCENARIOS, index + 1);
    options.show({ file: name, index: index++, total });
    const prepared = prepare(loaded.session, options.compile, facts);
    if ('reason' in prepared) {
      unread.push(prepared);
      continue;
    }
    const own = { scenario: name, scenarioHash: prepared.hash };
    if (isStopped(whyScenariosDiffer([...rows, own]))) break;
    scenarios.push(name);
    dropped.push(report.dropped);
    await setImmediate();
    const scenario = { ...prepared, family: families.get(name) };
    await runArms(scenario, { ...context, signal }, { known: keys, onRow });
  }
  if (options.signal.aborted) return undefined;
  if (incomparable !== undefined) return { incomparable };
  const ordered = orderRows(rows, { arms: context.arms.map(keyOfArm), scenarios });
  const provenance = toProvenance({ context, origin }, ordered, families);
  return { rows: ordered, unread, dropped, provenance };
}

function keyOfArm({ summarizer, prompt }: SummaryArm): string {
  return armKey({ summarizer: summarizer.name, promptHash: prompt.hash });
}

function prepare(
  session: Session,
  compile: CompileOptions,
  facts: SummarizersRun['facts'],
): SummaryScenario | UnreadInput {
  try {
    return prepareScenario(session, compile, facts);
  } catch (error) {
    return { file: session.name, reason: messageOf(error) };
  }
}

function isLasting({ missing }: SummaryRow): boolean {
  return missing?.state !== 'broken' && missing?.isUnanswered !== true;
}

/** Earlier rows may be of other sessions. */
function toProvenance(
  { context, origin }: Pick<SummarizersRun, 'context' | 'origin'>,
  rows: readonly SummaryRow[],
  found: ReadonlyMap<string, string>,
): SummarizersProvenance {
  const { policy, model, pivots, compactAt = 'policy', seed, repeats, bench } = context;
  const told = rows.map(({ scenario: session, family }) => ({ session, family }));
  const ofInputs = [...found].map(([session, family]) => ({ session, family }));
  const families = joinFamilies([{ rows: told }, { rows: ofInputs }]);
  const scenarios = new Map(
    rows.map(({ scenario: name, scenarioHash: hash, facts }) => {
      return [name, { name, hash, facts, ...known({ family: families.get(name) }) }];
    }),
  );
  return {
    origin,
    scorerVersion: SCORER_VERSION,
    bench: bench.hash,
    policy: policy.name,
    model: model.id,
    pivots,
    compactAt,
    seed,
    ...countRepeats(rows, repeats),
    scenarios: [...scenarios.values()],
  };
}

function* shippedSessions() {
  for (const session of shippedScenarios()) yield { state: 'read', session } as const;
}
