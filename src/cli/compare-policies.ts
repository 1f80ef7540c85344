import { policies as presets } from '../engine/index.ts';
import type { RunEvent } from '../simulator/events.ts';
import { known } from '../simulator/lib/collections.ts';
import { ADAPTER_NAME } from '../simulator/replay/foreign/compactor.ts';
import { collectRun, surroundingsOf } from '../simulator/replay/run-trace.ts';
import type { Comparison } from '../simulator/report/comparison.ts';
import { countRecordedModels } from '../simulator/report/origin.ts';
import { toStories } from '../simulator/report/session-names.ts';
import { openNamed } from '../simulator/session/load.ts';
import {
  compareAdapter,
  type ComparisonOutcome,
  compareSides,
  findParting,
  type RunSide,
} from '../simulator/sweep/compare/compare-sides.ts';
import { firstBreakOf } from '../simulator/sweep/gate/bill.ts';
import type { RecordItem } from '../simulator/sweep/run-files.ts';
import { compileFor, traceFor } from '../simulator/sweep/run/prepare.ts';
import { noteMisfits } from '../simulator/sweep/run/recorded-fit.ts';
import type { OpenReport } from './command.ts';
import { findSessions, noInput, noteDropped, type RunInputs, withCounters } from './inputs.ts';
import { originOf } from './origin.ts';
import { printEstimates, withSpent } from './plan/models.ts';
import { type LivePlan, meetPlan, type PlanOptions, planOver, toRun } from './plan/plan.ts';
import { nameOfPolicy } from './plan/policies.ts';
import { type CliIo, printNotes, settingFiles } from './process/io.ts';
import { runSessions } from './run-sessions.ts';

interface PlannedRuns {
  readonly plan: LivePlan;
  readonly found: RunInputs;
}

/** The outcome; `undefined` if interrupted, the exit code of a dry run. */
export async function comparePolicies(
  policies: readonly string[],
  inputs: readonly string[],
  {
    options,
    io,
    out,
  }: {
    readonly options: PlanOptions & {
      readonly demo?: true | undefined;
      readonly summarizer: string;
    };
    readonly io: CliIo;
    readonly out: Pick<OpenReport<unknown>, 'checkInputs'>;
  },
): Promise<ComparisonOutcome | number | undefined> {
  const never = presets.none.name;
  const isNeverAdded = options.adapter !== undefined && !policies.includes(never);
  const { plan: asked, found } = await planOver(
    { ...options, policy: [...(isNeverAdded ? [never] : []), ...policies] },
    { find: () => findSessions(inputs, options, io) },
    io,
  );
  const [plan, registry] = [toRun(asked), asked.sources.registry];
  if (options.dryRun) {
    const report = await runSessions(plan, found, io);
    if (report?.runs.length === 0) throw noInput(report.unread);
    return report && printEstimates(io, registry, options.summarizer);
  }
  out.checkInputs([...found.files, ...settingFiles(options)]);
  printNotes(io, plan.notes);
  return withSpent(registry, io, () => runSides(policies.map(nameOfPolicy), { plan, found }, io));
}

async function runSides(
  names: readonly string[],
  { plan, found }: PlannedRuns,
  io: CliIo,
): Promise<ComparisonOutcome | undefined> {
  const firstBreaks = new Map<string, number>();
  const onRecord = ({ record, events = [] }: RecordItem) => {
    const step = record.policy === ADAPTER_NAME ? firstBreakOf(events) : undefined;
    if (step !== undefined) firstBreaks.set(record.session, step);
  };
  const report = await runSessions({ ...plan, ...(plan.adapter && { onRecord }) }, found, io);
  if (report === undefined) return undefined;
  const { runs, unread, provenance } = report;
  const { sessions } = provenance.estimators;
  const dropped = sessions.map((session) => session.dropped);
  noteDropped(io, dropped);
  if (runs.length === 0) throw noInput(unread);
  printNotes(io, noteMisfits(runs));
  const { mode, catalog, model, settings, seed } = plan;
  const side = (name: string): RunSide => ({
    name,
    rows: runs.filter(({ policy }) => policy === name),
    mode,
    origin: {
      ...originOf(catalog, [model.id], settings.values),
      recorded: countRecordedModels(sessions, plan.onSetup),
    },
    stories: toStories(sessions),
  });
  if (plan.adapter !== undefined) {
    const [adapter, never] = [side(ADAPTER_NAME), side(presets.none.name)];
    const sides = { adapter, never, others: names.map(side), firstBreaks };
    return compareAdapter(sides, { seed, unread });
  }
  const [a = '', b = ''] = names;
  const outcome = compareSides(side(a), side(b), { seed, unread });
  // A recording has no rules whose first difference could be told.
  const isTold = plan.policies.length > 1 && !plan.summarizer.isAsync;
  if (outcome.state !== 'compared' || !isTold) return outcome;
  const mostDifferent = await findPartings(outcome.comparison, { plan, found }, io);
  if (io.signal.aborted) return undefined;
  return { state: 'compared', comparison: { ...outcome.comparison, mostDifferent } };
}

async function findPartings(
  { mostDifferent }: Comparison,
  { plan, found }: PlannedRuns,
  io: CliIo,
): Promise<Comparison['mostDifferent']> {
  const partings = new Map<string, ReturnType<typeof findParting>>();
  await withCounters(io, async (counters) => {
    for (const { session } of mostDifferent) {
      const opened = openNamed(found.pathOf(session));
      if (opened.state !== 'read') continue;
      const { plan: met } = meetPlan(plan, opened.session);
      const { id } = met.model;
      const whole = await compileFor(id, opened.session, counters);
      const trace = traceFor(met.summarizer.name, whole, await counters.of(id));
      const run = surroundingsOf(met);
      const runs: (readonly RunEvent[])[] = [];
      for (const policy of met.policies) runs.push(await collectRun(trace, { ...run, policy }));
      const [first = [], second = []] = runs;
      partings.set(session, findParting(first, second));
    }
  });
  return mostDifferent.map((difference) => {
    return { ...difference, ...known({ parting: partings.get(difference.session) }) };
  });
}
