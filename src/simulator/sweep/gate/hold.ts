import { combine, type MetricName, type MetricValues } from '../../metrics/metrics.ts';
import type { GateFinding, GateReport } from '../../report/check/gate-report.ts';
import type { ScenarioResult } from '../../report/check/result.ts';
import type { BenchConfig, Gate } from '../../scenario/gate/config.ts';
import type { Baseline, BaselineHeader, ScenarioRecord } from './baseline.ts';
import { type CaseRecord, toCaseRecord } from './case-record.ts';
import { headerMismatches, scenarioMismatches } from './comparable.ts';
import { firstDifference } from './difference.ts';
import { checkGates, type Compared, judge } from './gates.ts';

/** Share of compared runs without a number that a gate asks for, above which nothing can be said. */
const MOST_UNSCORED = 0.02;
const EVERY_RUN = '*';

/** What scenarios are held against. */
export interface HoldOptions {
  readonly baseline: Baseline;
  /** Of the program as it is now. */
  readonly header: BaselineHeader;
  readonly config: BenchConfig;
  /** Whether all scenarios of the baseline are to be checked. */
  readonly isWhole: boolean;
}

/** Holds one scenario after another against a baseline. */
export interface Hold {
  add(result: ScenarioResult, record: ScenarioRecord): void;
  end(): GateReport;
}

/** One run on both sides. */
interface ComparedRun {
  readonly scenario: string;
  readonly baseline: CaseRecord;
  readonly now: CaseRecord;
}

/** What has come of some scenarios so far. */
interface Held {
  readonly findings: GateFinding[];
  readonly reasons: string[];
  readonly compared: ComparedRun[];
  readonly unscored: Set<ComparedRun>;
  readonly seen: Set<string>;
}

/** The record of a scenario as a baseline keeps it; `source` is the hash of its file. */
export function toScenarioRecord(result: ScenarioResult, source: string): ScenarioRecord {
  return { scenario: result.name, source, runs: result.runs.map(toCaseRecord) };
}

/** A comparison that nothing was given to yet. Throws at a gate that makes no sense. */
export function createHold(options: HoldOptions): Hold {
  const { baseline, config, header } = options;
  checkGates([...(config.gates ?? []), ...Object.values(config.cases ?? {}).flat()]);
  const held: Held = {
    findings: [],
    reasons: [...headerMismatches(baseline.header, header)],
    compared: [],
    unscored: new Set(),
    seen: new Set(),
  };
  return {
    add: (result, record) => {
      held.seen.add(record.scenario);
      const mismatches = scenarioMismatches(record, baseline);
      held.reasons.push(...mismatches);
      if (mismatches.length === 0) compareRuns(result, record, { held, options });
    },
    end: () => finish(held, options),
  };
}

function compareRuns(
  { runs }: ScenarioResult,
  record: ScenarioRecord,
  { held, options }: { readonly held: Held; readonly options: HoldOptions },
): void {
  const { scenario } = record;
  const before = options.baseline.scenarios.get(scenario)?.runs ?? [];
  for (const [index, now] of record.runs.entries()) {
    const baseline = before.find(({ run }) => run === now.run);
    const result = runs[index];
    if (baseline === undefined || result === undefined) continue;
    const compared = { scenario, baseline, now };
    held.compared.push(compared);
    if (options.config.events !== 'ignored') {
      const difference = firstDifference(scenario, result, baseline);
      if (difference) held.findings.push(difference);
    }
    for (const gate of gatesOf(compared, options.config)) judgeRun(gate, compared, held);
  }
}

function gatesOf({ scenario, now }: ComparedRun, { cases = {} }: BenchConfig): readonly Gate[] {
  return [EVERY_RUN, scenario, `${scenario}: ${now.run}`].flatMap((key) =>
    Object.hasOwn(cases, key) ? (cases[key] ?? []) : [],
  );
}

function judgeRun(gate: Gate, compared: ComparedRun, held: Held): void {
  const { scenario, baseline, now } = compared;
  const numbers = numbersOf(gate, baseline.metrics, now.metrics);
  const verdict = judge(gate, numbers);
  if (verdict.state === 'unscored') held.unscored.add(compared);
  if (verdict.state !== 'failed') return;
  const { type, metric } = gate;
  const { expected, got } = verdict;
  held.findings.push({ kind: 'gate', scenario, run: now.run, type, metric, expected, got });
}

function numbersOf({ metric }: Gate, baseline: MetricValues, now: MetricValues): Compared {
  const name = metric as MetricName;
  return { baseline: baseline[name] ?? null, now: now[name] ?? null };
}

/** A gate over all runs is asked of their totals, and knows the single runs. */
function judgeAll(gate: Gate, held: Held): void {
  const { compared, findings } = held;
  const name = gate.metric as MetricName;
  const isKnown = ({ baseline, now }: ComparedRun) =>
    typeof baseline.metrics[name] === 'number' && typeof now.metrics[name] === 'number';
  for (const run of compared) if (!isKnown(run)) held.unscored.add(run);
  const known = compared.filter(isKnown);
  const before = known.map(({ baseline }) => baseline.metrics);
  const after = known.map(({ now }) => now.metrics);
  const verdict = judge(gate, {
    ...numbersOf(gate, combine(before), combine(after)),
    pairs: known.map(({ baseline, now, scenario }) => ({
      a: baseline.metrics[name] ?? 0,
      b: now.metrics[name] ?? 0,
      cluster: scenario,
    })),
  });
  if (verdict.state !== 'failed') return;
  const { type, metric } = gate;
  findings.push({ kind: 'gate', type, metric, expected: verdict.expected, got: verdict.got });
}

function finish(held: Held, { baseline, config, isWhole }: HoldOptions): GateReport {
  for (const gate of config.gates ?? []) judgeAll(gate, held);
  const unchecked = [...baseline.scenarios.keys()].filter((name) => !held.seen.has(name));
  const reasons = [
    ...held.reasons,
    ...(held.seen.size === 0 ? ['No scenario was checked.'] : []),
    ...(isWhole
      ? unchecked.map((name) => `Scenario '${name}' of the baseline was not checked.`)
      : []),
    ...tooManyUnscored(held),
  ];
  return {
    baseline: baseline.folder,
    reason: baseline.header.reason,
    comparedRuns: held.compared.length,
    unscoredRuns: held.unscored.size,
    findings: held.findings,
    inconclusive: reasons.map((reason) => ({ reason })),
  };
}

function tooManyUnscored({ unscored, compared }: Held): readonly string[] {
  if (unscored.size <= compared.length * MOST_UNSCORED) return [];
  const share = `${unscored.size} of ${compared.length} runs`;
  return [
    `${share} lack a number that a gate asks for; more than ${MOST_UNSCORED * 100} % is too many.`,
  ];
}
