import type { Policy } from '../../engine/index.ts';
import { surroundingsOf } from '../../simulator/replay/caller-forms.ts';
import type { Comparison, SessionDifference } from '../../simulator/report/compare/comparison.ts';
import { countRecordedModels } from '../../simulator/report/recorded-models.ts';
import { type Report, SCHEMA_VERSION } from '../../simulator/report/report.ts';
import { openNamed } from '../../simulator/session/named-session.ts';
import {
  type ComparisonOutcome,
  compareSides,
} from '../../simulator/sweep/compare/compare-sides.ts';
import type { Side } from '../../simulator/sweep/compare/pair-sides.ts';
import { partRuns } from '../../simulator/sweep/compare/part-runs.ts';
import { compileFor } from '../../simulator/sweep/whatif/compile-for.ts';
import { withCounters } from '../options/counters.ts';
import type { Counters } from '../../simulator/tokens/counters.ts';
import type { CliIo } from '../process/io.ts';
import { noInput } from '../inputs/no-input.ts';
import { noteDropped } from '../inputs/note-dropped.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';
import { originOf } from './origin.ts';
import type { LivePlan } from './plan.ts';
import { runSessions } from './run-sessions.ts';

type PartingPlan = Omit<LivePlan, 'policies'> & {
  readonly policies: readonly [Policy, Policy];
  readonly counters: Counters;
};

/** Runs two policies over sessions and compares them; `undefined` if the user wanted to stop. */
export async function comparePolicies(
  plan: LivePlan,
  found: RunInputs,
  io: CliIo,
): Promise<ComparisonOutcome | undefined> {
  const policies = twoPolicies(plan);
  const report = await runSessions(plan, found, io);
  if (report === undefined) return undefined;
  const { unread, provenance } = report;
  noteDropped(
    io,
    provenance.estimators.sessions.map(({ dropped }) => dropped),
  );
  if (report.runs.length === 0) throw noInput(unread);
  const [a, b] = policies.map((policy) => sideOf(policy, report, plan));
  if (a === undefined || b === undefined) return undefined;
  const outcome = compareSides(a, b, { seed: plan.seed, unread });
  if (outcome.state === 'incomparable') return outcome;
  const comparison = await withCounters(io, (counters) =>
    withPartings(outcome.comparison, found, { ...plan, policies, counters }),
  );
  return io.signal.aborted ? undefined : { state: 'compared', comparison };
}

function twoPolicies({ policies }: LivePlan): readonly [Policy, Policy] {
  const [a, b] = policies;
  if (a !== undefined && b !== undefined) return [a, b];
  throw new RangeError(`Expected \`policies\` to be two, got ${policies.length}.`);
}

function sideOf({ name }: Policy, { runs, provenance }: Report, plan: LivePlan): Side {
  const { mode, catalog, model, settings } = plan;
  const rows = runs.filter(({ policy }) => policy === name);
  const origin = {
    ...originOf(catalog, [model.id], settings.values),
    recorded: countRecordedModels(provenance.estimators.sessions),
  };
  return { name, rows, schemaVersion: SCHEMA_VERSION, mode, origin };
}

/** Runs the sessions that differ most once more, to tell where they part. */
async function withPartings(
  comparison: Comparison,
  inputs: RunInputs,
  plan: PartingPlan,
): Promise<Comparison> {
  if (plan.summarizer.isAsync) return comparison;
  const mostDifferent: SessionDifference[] = [];
  for (const difference of comparison.mostDifferent) {
    const opened = openNamed(inputs.pathOf(difference.session));
    const session = opened.state === 'read' ? opened.session : undefined;
    const trace = session && (await compileFor(plan.model.id, session, plan.counters));
    const parting =
      trace && (await partRuns(trace, { policies: plan.policies, ...surroundingsOf(plan) }));
    mostDifferent.push({ ...difference, ...(parting && { parting }) });
  }
  return { ...comparison, mostDifferent };
}
