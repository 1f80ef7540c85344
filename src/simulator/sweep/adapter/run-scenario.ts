import { type LawName, type ModelMessage, policies, type Policy } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { HarnessError } from '../../lib/errors.ts';
import { named } from '../../lib/names.ts';
import { UNKNOWN_METRICS } from '../../metrics/metrics.ts';
import { type QualityScore, scoreText } from '../../metrics/quality/score-text.ts';
import { endingOf, recordRun, type RunRecord } from '../../metrics/record.ts';
import { ADAPTER_NAME, type ListLawName, OWN_SUMMARIES } from '../../replay/foreign/compactor.ts';
import type { ScenarioResult, ScenarioRunResult } from '../../report/check-report.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { PlantedFact } from '../../session/facts.ts';
import {
  type CheckEnvironment,
  type FindBill,
  type ResolvedRun,
  resolveRun,
  runEach,
  unaskedSummarizer,
  usualPolicy,
} from '../gate/run-scenario.ts';
import type { Prepared } from '../run/prepare.ts';
import { collectAdapter } from '../run/row.ts';
import type { OpenCompactor } from './command-compactor.ts';

/** A law of the engine's policies, or of lists of messages. */
export type AnyLawName = LawName | ListLawName;

/** The laws that runs of a kind are held against, by name. */
export type CheckedLaws = {
  readonly [Name in AnyLawName]?: { readonly says: string };
};

/** One session that was replayed against a compactor or a policy. */
export interface CompactionRun {
  /** Name of the session. */
  readonly name: string;
  readonly events: readonly RunEvent[];
  readonly record: RunRecord;
  /** Messages of the next request. */
  readonly messages: readonly ModelMessage[];
  /** Planted facts of the session; empty unless it was generated. */
  readonly facts: readonly PlantedFact[];
  /** The parts of the run. */
  readonly made: ScenarioRunResult['made'];
  /** Laws that the run was checked against: those of lists for a compactor, the engine's for a policy. */
  readonly laws: CheckedLaws;
  /** Returns true if the law was kept, or every law for `all`. Throws at a law that was not checked. */
  holds(law: AnyLawName | 'all'): boolean;
  /** How much of the session's facts the last conversation still holds; absent where it has none. */
  score(): QualityScore | undefined;
}

type RunFacts = Omit<CompactionRun, 'holds' | 'score'>;

/** Stands for what an adapter does, which nobody knows; it sends what it is given. */
export const ADAPTER_POLICY: Policy = { ...policies.none, name: ADAPTER_NAME };

export async function runOnAdapter(
  { file, name, runs }: Scenario,
  environment: CheckEnvironment,
  open: () => OpenCompactor,
): Promise<ScenarioResult> {
  const names = { catalog: environment.catalog, findSummarizer: unaskedSummarizer };
  const resolved = distinct(runs.map((run) => resolveRun(run, file, names)));
  return runEach({ file, name, runs: resolved }, environment, (run, prepared, findBill) =>
    runOne(run, prepared, { open, findBill }),
  );
}

export function toCompactionRun(facts: RunFacts): CompactionRun {
  return {
    ...facts,
    holds: (law) => violationsOf(facts, law).length === 0,
    score: () =>
      facts.facts.length === 0
        ? undefined
        : scoreText({ text: listText(facts.messages), facts: facts.facts }),
  };
}

export function violationsOf(
  { events, laws }: Pick<RunFacts, 'events' | 'laws'>,
  law: AnyLawName | 'all',
): readonly (RunEvent & { readonly type: 'law-violated' })[] {
  named('law', { all: {}, ...laws }, String(law as unknown));
  return events
    .filter((event) => event.type === 'law-violated')
    .filter((event) => law === 'all' || event.law === law);
}

export function nextStep(events: readonly RunEvent[]) {
  return events.filter(({ type }) => type === 'step-end').length + 1;
}

async function runOne(
  run: ResolvedRun,
  prepared: Prepared,
  {
    open,
    findBill,
  }: { readonly open: () => OpenCompactor; readonly findBill?: FindBill | undefined },
) {
  const breakOff = (reason: string, events: readonly RunEvent[]) =>
    toResult(run, events, { state: 'failed', reason, metrics: UNKNOWN_METRICS });
  if (prepared.state === 'failed') return breakOff(prepared.reason, []);
  const { session, options } = run;
  const events: RunEvent[] = [];
  try {
    await collectAdapter(events, prepared.trace, { ...options, arm: { open } });
  } catch (error) {
    if (error instanceof HarnessError) return breakOff(error.message, events);
    throw error;
  }
  const ending = endingOf(recordRun(keyOf(run), events, { baseline: prepared.baseline }));
  // Other policies meet what an adapter meets.
  const met = { ...options, faults: faultsMet(run) };
  const others = [usualPolicy(session, options.model)];
  const { metrics } = ending;
  const bill = await findBill?.({ prepared, options: met, events, metrics, others });
  return { ...toResult(run, events, ending), ...(bill && { bill }) };
}

function faultsMet({ options: { faults = [] } }: ResolvedRun) {
  return faults.filter(({ on }) => on === 'step' || on === 'usage');
}

/** Runs that differ in what an adapter does not see are one. */
function distinct(runs: readonly ResolvedRun[]) {
  const byKey = new Map<string, ResolvedRun>();
  for (const run of runs) {
    const { session, options } = run;
    const { overheadTokens, scale } = run.run.session;
    const seen = [session, [overheadTokens, scale], options.model, faultsMet(run), options.seed];
    const key = JSON.stringify(seen);
    if (!byKey.has(key)) byKey.set(key, run);
  }
  return [...byKey.values()];
}

function toResult(
  resolved: ResolvedRun,
  events: readonly RunEvent[],
  ending: Pick<ScenarioRunResult, 'state' | 'reason' | 'metrics' | 'findings'>,
) {
  const { name, expect } = resolved.run;
  const { state, reason } = ending;
  const expected = 'the adapter to complete the run and keep all laws';
  const place = `${state} at step ${faultyStep(events)}`;
  const got = reason === undefined ? place : `${place} (${reason})`;
  return {
    name,
    policy: ADAPTER_NAME,
    ...ending,
    failures: state === 'completed' ? [] : [{ ...expect.state.at, expected, got }],
    events,
    made: { ...keyOf(resolved), resolvedPolicy: ADAPTER_POLICY },
  };
}

function faultyStep(events: readonly RunEvent[]) {
  const first = events.findIndex(({ type }) => type === 'law-violated');
  return nextStep(first === -1 ? events : events.slice(0, first));
}

function keyOf({ session, options: { model, seed } }: ResolvedRun) {
  const made = { policy: ADAPTER_NAME, model: model.id, summarizer: OWN_SUMMARIES, seed };
  return { session: session.name, ...made };
}

function listText(messages: readonly ModelMessage[]) {
  return messages
    .flatMap(({ content }) =>
      content.flatMap((one) => {
        if (one.type === 'tool-call') return [JSON.stringify(one.input)];
        if (one.type === 'tool-result') return [one.output];
        return 'text' in one ? [one.text] : [];
      }),
    )
    .join('\n');
}
