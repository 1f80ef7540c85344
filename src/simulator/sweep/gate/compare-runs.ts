import { HarnessError } from '../../lib/errors.ts';
import { named, quoted } from '../../lib/names.ts';
import type { Metric } from '../../metrics/metric-rows.ts';
import { type MetricName, metrics, type MetricValues } from '../../metrics/metrics.ts';
import {
  type Change,
  estimateChange,
  type Pair,
} from '../../metrics/statistics/mean-difference.ts';
import { isAtMost } from '../../metrics/statistics/verdict.ts';
import type {
  Changes,
  ComparedScenario,
  GateFinding,
  GatePart,
  ScenarioResult,
} from '../../report/check-report.ts';
import { countOf, formatEnds, formatExact, percentOf } from '../../report/numbers.ts';
import type { BenchConfig, Gate } from '../../scenario/gate.ts';
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

interface Compared {
  readonly baseline: number | null;
  readonly now: number | null;
  /** The single runs behind it, where it stands for several. */
  readonly pairs?: readonly Pair[];
}

interface GateVerdict {
  readonly state: 'passed' | 'unscored' | 'failed' | 'undecided';
  readonly expected: string;
  readonly got: string;
}

const METRICS: Readonly<Record<string, Metric>> = metrics;
const SEED = 1;
const PASSED: GateVerdict = { state: 'passed', expected: '', got: '' };
const UNSCORED: GateVerdict = { ...PASSED, state: 'unscored' };
/** Digits of a difference: the fewest that tell its worse end from the margin are shown. */
const DIGITS = [4, 6, 12] as const;

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

export function judgeGate(gate: Gate, { baseline: before, now, pairs }: Compared): GateVerdict {
  if (!isKnown(gate, { baseline: before, now }) || now === null) return UNSCORED;
  const baseline = before ?? 0;
  const verdict = (isGood: boolean, expected: string): GateVerdict =>
    isGood ? PASSED : { state: 'failed', expected, got: formatExact(now) };
  switch (gate.type) {
    case 'exact':
      return verdict(now === baseline, `${formatExact(baseline)} as in the baseline`);
    case 'max':
      return verdict(now <= gate.limit, `at most ${formatExact(gate.limit)}`);
    case 'min':
      return verdict(now >= gate.limit, `at least ${formatExact(gate.limit)}`);
    case 'ratio': {
      const got = formatExact(baseline);
      // A ratio to a number below 0 means nothing.
      if (baseline < 0) return { state: 'undecided', expected: 'a baseline of at least 0', got };
      return verdict(isAtMost(now, baseline * gate.limit), `at most ${gate.limit} × ${got}`);
    }
    case 'noninferior':
      return judgeNoninferior(gate, pairs ?? [{ a: baseline, b: now }], pairs !== undefined);
  }
}

/** Returns true if both sides have what a gate asks: limits need no baseline. */
export function isKnown({ type }: Gate, { baseline, now }: Compared) {
  return now !== null && (baseline !== null || type === 'max' || type === 'min');
}

export function takesEvidence({ type }: Gate) {
  return type === 'noninferior';
}

export function checkGates(gates: readonly Gate[]) {
  for (const { metric, type } of gates) {
    const { better } = named('metric', METRICS, metric);
    if (type !== 'noninferior' || better !== undefined) continue;
    const message = `Expected the gate noninferior to be on a metric with a better direction, got ${metric}.`;
    throw new HarnessError('BAD_CONFIG', message);
  }
}

export function numbersOf(
  { metric }: Gate,
  { baseline, now }: { readonly baseline: MetricValues; readonly now: MetricValues },
) {
  const name = metric as MetricName;
  return { baseline: baseline[name] ?? null, now: now[name] ?? null };
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

/** The whole interval of the mean difference, for cost of the ratio, must lie within the margin. */
function judgeNoninferior(
  { metric, margin }: Gate & { readonly type: 'noninferior' },
  pairs: readonly Pair[],
  areSeveral: boolean,
): GateVerdict {
  const change = estimateChange(metric, pairs, { seed: SEED });
  if (change === undefined) return UNSCORED;
  const { value, interval } = change.estimate;
  if (areSeveral && interval === null) {
    const got = "one, which has no interval; under 'cases' it asks single runs";
    return { state: 'undecided', expected: 'two independent scenarios at least', got };
  }
  const { low, high } = interval ?? { low: value, high: value };
  const same = change.kind === 'ratio' ? 1 : 0;
  const worst = METRICS[metric]?.better === 'higher' ? same - low : high - same;
  return isAtMost(worst, margin) ? PASSED : describeWorse(change, worst, margin);
}

function describeWorse(
  { kind, estimate: { value, interval } }: Change,
  worst: number,
  margin: number,
): GateVerdict {
  const isShare = kind === 'ratio';
  const unit = isShare ? ' %' : '';
  const shownMargin = isShare ? roundTo(percentOf(margin), DIGITS[1]) : margin;
  const shownWorst = isShare ? percentOf(worst) : worst;
  const digits = DIGITS.find((some) => roundTo(shownWorst, some) > shownMargin) ?? DIGITS[2];
  const exact = (amount: number) => `${formatExact(roundTo(amount, digits))}${unit}`;
  const expected = `no worse than the baseline by more than ${formatExact(shownMargin)}${unit}`;
  if (interval === null) return { state: 'failed', expected, got: `worse by ${exact(shownWorst)}` };
  const signed = (end: number) => {
    const amount = isShare ? percentOf(end - 1) : end;
    return `${amount > 0 ? '+' : ''}${exact(amount)}`;
  };
  const got = `a mean difference of ${signed(value)} (95 % interval ${formatEnds(interval, signed)})`;
  return { state: 'failed', expected, got };
}

/** Digits before the point are never rounded away. */
function roundTo(value: number, digits: number) {
  const whole = String(Math.trunc(Math.abs(value))).length;
  return Number(value.toPrecision(Math.max(digits, whole)));
}
