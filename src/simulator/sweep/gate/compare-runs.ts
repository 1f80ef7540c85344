import { quoted } from '../../lib/names.ts';
import type { MetricName } from '../../metrics/metrics.ts';
import type {
  Changes,
  ComparedScenario,
  GateFinding,
  GatePart,
  ScenarioResult,
} from '../../report/check-report.ts';
import { countOf } from '../../report/numbers.ts';
import type { BenchConfig } from '../../scenario/gate.ts';
import {
  type Baseline,
  type BaselineHeader,
  baselineMismatches,
  type CaseRecord,
  scenarioMismatches,
  type ScenarioRecord,
  sourceMismatch,
} from './baseline.ts';
import { firstDifference, toScenarioRecord } from './case-record.ts';
import { checkGates, judgeGate, numbersOf } from './judge-gate.ts';

interface ComparisonOptions {
  readonly baseline: Baseline;
  readonly header: BaselineHeader;
  readonly config: BenchConfig;
  readonly isWhole: boolean;
  readonly isHere?: ((scenario: string) => boolean) | undefined;
  readonly families?: ReadonlyMap<string, string> | undefined;
}

interface TwoRuns {
  readonly scenario: string;
  readonly baseline: CaseRecord;
  readonly now: CaseRecord;
}

type LeftOut = Map<string, { readonly source: string; readonly runs: readonly string[] }>;

const EVERY_RUN = '*';

export function createComparison(options: ComparisonOptions) {
  const { baseline, config, header, isWhole, isHere = () => true } = options;
  const { gates = [], cases = {} } = config;
  checkGates([...gates, ...Object.values(cases).flat()]);
  const mismatches = baselineMismatches(baseline, header);
  const scenarios: ComparedScenario[] = [];
  const leftOut: LeftOut = new Map();
  return {
    add: (result: ScenarioResult, source: string): boolean => {
      const { name, leftOut: others } = result;
      if (others !== undefined) leftOut.set(name, { source, runs: others });
      if (mismatches.length > 0 || result.runs.length === 0) return true;
      const family = options.families?.get(name);
      const compared = compareScenario(result, source, options);
      scenarios.push({ ...compared, ...(family !== undefined && { family }) });
      return compared.findings.length + compared.inconclusive.length === 0;
    },
    end: (): GatePart => {
      const isComplete = isWhole && mismatches.length === 0;
      const asked = new Set([
        EVERY_RUN,
        ...scenarios.flatMap(({ scenario, runs }) =>
          runs.flatMap(({ run }) => keysOf(scenario, run)),
        ),
      ]);
      const wanted = [...baseline.scenarios.values()].filter(({ scenario }) => isHere(scenario));
      return {
        baseline: baseline.folder,
        reason: baseline.header.reason,
        mismatches,
        missing: isComplete ? wanted.flatMap((one) => missingOf(one, scenarios, leftOut)) : [],
        unasked: isComplete ? Object.keys(cases).filter((key) => !asked.has(key)) : [],
        gates,
        scenarios,
      };
    },
  };
}

/** The keys of a configuration by which one run has gates of its own. */
export function keysOf(scenario: string, run: string) {
  return [scenario, `${scenario}: ${run}`];
}

function compareScenario(
  result: ScenarioResult,
  source: string,
  { baseline: { scenarios, header: before }, header, config }: ComparisonOptions,
): ComparedScenario {
  const record = toScenarioRecord(result, source);
  const { scenario } = record;
  const mismatches = scenarioMismatches(record, { scenarios });
  if (mismatches.length > 0) return { scenario, inconclusive: mismatches, findings: [], runs: [] };
  const otherVersion = before.version === header.version ? '' : before.version;
  const inconclusive: string[] = [];
  const findings: GateFinding[] = [];
  const runs = record.runs.flatMap((now, index) => {
    const baseline = scenarios.get(scenario)?.runs.find(({ run }) => run === now.run);
    const run = result.runs[index];
    if (baseline === undefined || run === undefined) return [];
    const sides = { scenario, baseline, now };
    const difference =
      config.events !== 'ignored' && firstDifference(scenario, [baseline, now], run);
    if (difference) findings.push(difference);
    inconclusive.push(...foreignNumbers(sides, otherVersion));
    return [judgeRun(sides, config, { findings, inconclusive })];
  });
  return { scenario, inconclusive, findings, runs };
}

function foreignNumbers({ scenario, baseline, now }: TwoRuns, otherVersion: string) {
  if (now.digest !== baseline.digest) return [];
  const names = Object.keys(now.metrics) as readonly MetricName[];
  const [name, ...others] = names.filter(
    (one) => baseline.metrics[one] !== null && baseline.metrics[one] !== now.metrics[one],
  );
  if (name === undefined) return [];
  const place = `Run ${quoted(now.run)} of scenario ${quoted(scenario)}`;
  const first = `${name} ${baseline.metrics[name]}, now ${now.metrics[name] ?? 'unknown'}`;
  const more = others.length === 0 ? '' : ` and ${countOf(others.length, 'other')}`;
  const cause =
    otherVersion === ''
      ? 'the file was changed by hand; else a metric was, and the scorer version was not.'
      : `they mean something else since version ${otherVersion}, which wrote it.`;
  return [
    `${place} has the events of the baseline and not its numbers: ${first}${more}. Most likely ${cause}`,
  ];
}

function judgeRun(
  sides: TwoRuns,
  { gates = [], cases = {} }: BenchConfig,
  found: { readonly findings: GateFinding[]; readonly inconclusive: string[] },
) {
  const { scenario, baseline, now } = sides;
  const numbers = { baseline: baseline.metrics, now: now.metrics };
  const own = [EVERY_RUN, ...keysOf(scenario, now.run)].flatMap((key) =>
    Object.hasOwn(cases, key) ? (cases[key] ?? []) : [],
  );
  const unknownMetrics: string[] = [];
  for (const gate of own) {
    const { type, metric } = gate;
    const { state, expected, got } = judgeGate(gate, numbersOf(gate, numbers));
    if (state === 'unscored') unknownMetrics.push(metric);
    if (state === 'failed')
      found.findings.push({ kind: 'gate', scenario, run: now.run, type, metric, expected, got });
    if (state === 'undecided') {
      const place = `${scenario}: ${now.run}: gate ${type} on ${metric}`;
      found.inconclusive.push(`${place}: expected ${expected}, got ${got}.`);
    }
  }
  const isUnscored = unknownMetrics.length > 0;
  return {
    run: now.run,
    isUnscored,
    changes: changesOf(sides),
    ...(isUnscored && { unknownMetrics }),
    ...(gates.length > 0 && { numbers }),
  };
}

/** A run that ends elsewhere than before is a finding, and no saving. */
function changesOf({ baseline, now }: TwoRuns) {
  const changeOf = (metric: keyof Changes) => {
    const [before, after] = [baseline.metrics[metric], now.metrics[metric]];
    return baseline.state !== now.state || before === null || after === null
      ? { runs: 0, baseline: 0, now: 0 }
      : { runs: 1, baseline: before, now: after };
  };
  return {
    costUsd: changeOf('costUsd'),
    misses: changeOf('misses'),
    unrecoverableMisses: changeOf('unrecoverableMisses'),
  };
}

function missingOf(
  record: ScenarioRecord,
  compared: readonly ComparedScenario[],
  leftOut: LeftOut,
) {
  const { scenario, runs } = record;
  const seen = compared.find((one) => one.scenario === scenario);
  const others = leftOut.get(scenario);
  // Of a scenario that cannot be compared something is said already.
  if (runs.length === 0 || seen?.runs.length === 0) return [];
  if (seen === undefined) {
    if (others === undefined)
      return [`Scenario ${quoted(scenario)} of the baseline was not checked.`];
    const mismatch = sourceMismatch(record, others.source);
    if (mismatch !== undefined) return [mismatch];
  }
  const known = [...(seen?.runs.map(({ run }) => run) ?? []), ...(others?.runs ?? [])];
  return runs
    .filter(({ run }) => !known.includes(run))
    .map(({ run }) => `Run ${quoted(run)} of scenario ${quoted(scenario)} was not run.`);
}
