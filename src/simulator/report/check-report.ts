import * as z from 'zod';
import { policies, type Policy } from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import { known, sum } from '../lib/collections.ts';
import type { MetricValues } from '../metrics/metrics.ts';
import type { RunKey } from '../metrics/record.ts';
import { ADAPTER_NAME } from '../replay/foreign/compactor.ts';
import { GateSchema, type GateType, gateTypes } from '../scenario/gate.ts';
import { shownText } from './markup.ts';
import { countOf, formatCount, formatUsd } from './numbers.ts';
import { unreadProblems } from './origin.ts';
import {
  type Checked,
  FindingsShape,
  OriginShape,
  RecordShape,
  StateShape,
  UnreadShape,
} from './saved/shapes.ts';
import { describeChange } from './verdict-lines.ts';
import type { Terminal } from './layout.ts';

export type CheckReport = Checked<typeof CheckSchema>;
export type CheckShard = Checked<typeof ShardShape>;
export type CheckedScenario = Checked<typeof ScenarioShape>;
type CheckedRun = CheckedScenario['runs'][number];
export type ExpectationFailure = CheckedRun['failures'][number];
export type GateFinding = Checked<typeof Finding>;
/** A run whose events or outcome are not those of the baseline. */
export type EventsFinding = GateFinding & { readonly kind: 'events' };
export type Changes = Checked<typeof ChangesShape>;
export type GateReport = Checked<typeof GateReportShape>;
export type ComparedScenario = Checked<typeof ComparedScenarioShape>;
export type GatePart = Checked<typeof GatePartShape>;

/** One way to write the outcome of a check down. */
export interface CheckFormat {
  readonly extension: string;
  readonly describes: string;
  render(report: CheckReport, terminal: Terminal): string;
}

/** The outcome of the runs of one scenario. */
export interface ScenarioResult extends Omit<CheckedScenario, 'runs'> {
  readonly runs: readonly ScenarioRunResult[];
}

/** One run of a scenario, compared with what its file expects. */
export interface ScenarioRunResult extends Omit<CheckedRun, 'chart'> {
  /** In order; of a run that broke off, those before. */
  readonly events: readonly RunEvent[];
  /** The policy has every setting applied. */
  readonly made: RunKey & { readonly resolvedPolicy: Policy };
}

export type Bill = Checked<typeof BillShape>;
export type BillReference = Bill['against'][number];

/** A bill as JSON reports have it, the sum of some sessions. */
export const BillShape = z.object({
  sessions: z.number(),
  compactions: z.number(),
  ineffectiveCompactions: z.number(),
  /** `null` where the model has no known price. */
  costUsd: z.number().nullable(),
  summariesUsd: z.number().nullable(),
  inputTokens: z.number(),
  cacheBreaks: z.number(),
  /** The first of them; its session where there are several. */
  firstCacheBreak: z
    .object({ step: z.number(), session: z.string().exactOptional() })
    .exactOptional(),
  against: z.array(
    z.object({
      policy: z.string(),
      /** Sessions in which no such run can exist; absent where there are none. */
      impossibleSessions: z.number().exactOptional(),
      /** `null` where a session did not complete or has no price. */
      costUsd: z.number().nullable(),
      inputTokens: z.number().nullable(),
    }),
  ),
});

/** Costs closer than that are told as equal. */
const SAME_SHARE = 0.01;
const CONTROL = policies.none.name;

const Metrics = z.custom<MetricValues>(
  (value) => RecordShape.shape.metrics.safeParse(value).success,
);

const ScenarioShape = z.object({
  file: z.string(),
  name: z.string(),
  runs: z.array(
    z.object({
      name: z.string(),
      at: z.object({ line: z.number(), column: z.number() }).exactOptional(),
      policy: z.string(),
      state: StateShape,
      reason: z.string().exactOptional(),
      /** In the order of the file; the words follow "expected" and "got". */
      failures: z.array(
        z.object({ line: z.number(), column: z.number(), expected: z.string(), got: z.string() }),
      ),
      metrics: Metrics,
      findings: FindingsShape.exactOptional(),
      /** Absent of a run that broke off, and where nobody asked. */
      bill: BillShape.exactOptional(),
      chart: z.string().exactOptional(),
    }),
  ),
  /** Runs of tiers that were not asked for; absent where there are none. */
  leftOut: z.array(z.string()).exactOptional(),
  passed: z.boolean(),
});

const Finding = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('events'),
    scenario: z.string(),
    run: z.string(),
    step: z.number().exactOptional(),
    /** Set where the logs are the same. */
    isUnlogged: z.literal(true).exactOptional(),
    rule: z.string(),
    baseline: z.string(),
    now: z.string(),
    before: z.array(z.string()),
  }),
  /** Of all runs together where no scenario is named. */
  z.object({
    kind: z.literal('gate'),
    scenario: z.string().exactOptional(),
    run: z.string().exactOptional(),
    type: z.enum(Object.keys(gateTypes) as readonly GateType[]),
    metric: z.string(),
    expected: z.string(),
    got: z.string(),
  }),
]);

const ChangeShape = z.object({ runs: z.number(), baseline: z.number(), now: z.number() });
/** Over the runs that ended alike on both sides and have the number there. */
const ChangesShape = z.object({
  costUsd: ChangeShape,
  misses: ChangeShape,
  unrecoverableMisses: ChangeShape,
});

const GateReportShape = z.object({
  baseline: z.string(),
  reason: z.string(),
  changes: ChangesShape.exactOptional(),
  comparedRuns: z.number(),
  unscoredRuns: z.number(),
  findings: z.array(Finding),
  inconclusive: z.array(z.object({ reason: z.string() })),
});

const ComparedScenarioShape = z.object({
  scenario: z.string(),
  /** Absent where it stands alone, and where no gate asks. */
  family: z.string().exactOptional(),
  inconclusive: z.array(z.string()),
  findings: z.array(Finding),
  runs: z.array(
    z.object({
      run: z.string(),
      isUnscored: z.boolean(),
      changes: ChangesShape.exactOptional(),
      unknownMetrics: z.array(z.string()).exactOptional(),
      numbers: z.object({ baseline: Metrics, now: Metrics }).exactOptional(),
    }),
  ),
});

const GatePartShape = GateReportShape.pick({ baseline: true, reason: true }).extend({
  mismatches: z.array(z.string()),
  missing: z.array(z.string()),
  unasked: z.array(z.string()),
  gates: z.array(GateSchema),
  scenarios: z.array(ComparedScenarioShape),
});

const ShardShape = z.object({
  index: z.int(),
  count: z.int(),
  check: z.string(),
  version: z.string(),
  gate: GatePartShape.exactOptional(),
});

/** The outcome of checking some scenarios. */
export const CheckSchema = z.object({
  schemaVersion: z.int(),
  origin: OriginShape.exactOptional(),
  passed: z.number(),
  failed: z.number(),
  scenarios: z.array(ScenarioShape),
  unread: UnreadShape,
  gate: GateReportShape.exactOptional(),
  shard: ShardShape.exactOptional(),
});

/** The version of the shape of `CheckReport`. */
export const CHECK_SCHEMA_VERSION = 1;

const NOTHING_COMPARED = 'nothing was compared with a baseline';

/** The report of some scenarios. */
export function toCheckReport({
  origin,
  scenarios,
  unread,
}: Pick<CheckReport, 'origin' | 'scenarios' | 'unread'>): CheckReport {
  const passed = scenarios.filter((scenario) => scenario.passed).length;
  const failed = scenarios.length - passed;
  const schemaVersion = CHECK_SCHEMA_VERSION;
  return { schemaVersion, ...(origin && { origin }), passed, failed, scenarios, unread };
}

/** Nothing wrong, something wrong, or not comparable, where nothing else matters. */
export function stateOfCheck({ failed, unread, gate }: CheckReport) {
  const { inconclusive = [], findings = [] } = gate ?? {};
  if (inconclusive.length > 0) return 'inconclusive';
  return failed + unread.length + findings.length > 0 ? 'bad' : 'good';
}

/** The outcome in sentences. */
export function outcomeLines(report: CheckReport): readonly string[] {
  return [...describeChanges(report), `${describeVerdict(report)}.`];
}

/** How many scenarios passed, and how they stand against the baseline. */
export function describeVerdict({ scenarios, gate, passed, failed, unread }: CheckReport): string {
  const runs = sum(scenarios.map((scenario) => scenario.runs.length));
  const counts = [
    `${formatCount(passed)} passed`,
    failed > 0 && `${formatCount(failed)} failed`,
    unread.length > 0 && `${formatCount(unread.length)} not read`,
  ].filter(Boolean);
  const standing = gate === undefined ? '' : `; ${standingOf(gate)}`;
  return `${countOf(scenarios.length, 'scenario')}, ${countOf(runs, 'run')}: ${counts.join(', ')}${standing}`;
}

export function describeChanges({ gate }: Pick<CheckReport, 'gate'>): readonly string[] {
  if (gate?.changes === undefined) return [];
  const { costUsd, misses, unrecoverableMisses: forGood } = gate.changes;
  const { baseline: from, now: to } = costUsd;
  const percent = describeChange({ from, to, low: null, high: null });
  const good =
    forGood.baseline + forGood.now === 0 ? '' : `, for good ${forGood.baseline} → ${forGood.now}`;
  const cost = `cost ${formatUsd(from)} → ${formatUsd(to)}${percent && ` (${percent})`}`;
  const losses = `losses ${formatCount(misses.baseline)} → ${formatCount(misses.now)}${good}`;
  const over = costUsd.runs === misses.runs ? '' : ` over ${countOf(costUsd.runs, 'run')}`;
  const parts = [
    costUsd.runs > 0 && `${cost}${over}`,
    misses.runs > 0 && `${losses} over ${countOf(misses.runs, 'run')}`,
  ];
  const words = parts.filter(Boolean).join(', ');
  return words === '' ? [] : [`${words.charAt(0).toUpperCase()}${words.slice(1)}.`];
}

/** The verdict as JSON has it. */
export function verdictOfCheck(report: CheckReport) {
  const [first] = listProblems(report, false);
  const [changes] = describeChanges(report);
  const counts = { passed: report.passed, scenarios: report.scenarios.length };
  return known({ changes, state: stateOfCheck(report), ...counts, first: first?.problem });
}

/** Where to look first, in one sentence. */
export function describeFirst(report: CheckReport): readonly string[] {
  return listProblems(report, false)
    .slice(0, 1)
    .map(({ problem }) => `Look first: ${problem}`);
}

/** Everything that is not as it should be, a line each. */
export function problemsOf(report: CheckReport): readonly string[] {
  return listProblems(report, true).map(({ mark, problem }) => `${mark} ${problem}`);
}

/** Unmet expectations of a scenario, a sentence each. */
export function failuresOf({ file, name, runs }: CheckedScenario, hasPlaces = false) {
  return runs.flatMap((run) =>
    run.failures.map(({ line, column, expected, got }) => {
      const place = hasPlaces ? ` at ${file}:${line}:${column}` : '';
      return `${name}: ${run.name}: expected ${expected}${place}, got ${got}`;
    }),
  );
}

/** One finding as one sentence. */
export function describeFinding(finding: GateFinding): string {
  const { scenario, run } = finding;
  const named = run === undefined ? scenario : `${scenario}: ${run}`;
  const place = named === undefined ? 'all runs' : shownText(named);
  if (finding.kind === 'gate') {
    const { type, metric, expected, got } = finding;
    return `${place}: gate ${type} on ${metric}: expected ${expected}, got ${got}`;
  }
  const [rule, now, baseline] = [finding.rule, finding.now, finding.baseline].map(shownText);
  return `${place}: ${momentOf(finding)}: ${rule}: ${now}, baseline ${baseline}`;
}

/** Where in a run its log is another than that of the baseline. */
export function momentOf({ step, isUnlogged }: Pick<EventsFinding, 'step' | 'isUnlogged'>): string {
  if (isUnlogged) return 'somewhere in the run';
  return step === undefined ? 'before the first step' : `step ${step}`;
}

/** A bill in a line, and why it is a dear one. */
export function billLine(bill: Bill): string {
  const { costUsd, inputTokens, against } = bill;
  const dearer = dearerThan(bill);
  const reference = dearer === CONTROL ? 'not compacting' : dearer;
  const why = whyDear(bill).map((reason) => `; ${reason}`);
  const warning = dearer === undefined ? '' : ` ⚠ dearer than ${reference}${why.join('')}`;
  const cost =
    costUsd === null ? `${formatCount(inputTokens)} input tokens, unpriced` : formatUsd(costUsd);
  const others = against.map((one) => describeReference(one, costUsd !== null)).join(', ');
  return `${describeCompactions(bill)} · ${cost}; ${others}${warning}`;
}

/** All bills of an adapter, of presets the first that compacted. */
export function billedIn<Run extends { readonly policy: string; readonly bill?: Bill }>(
  runs: readonly Run[],
): readonly (Run & { readonly bill: Bill })[] {
  const billed = runs.filter((run): run is Run & { readonly bill: Bill } => run.bill !== undefined);
  if (billed.some(({ policy }) => policy === ADAPTER_NAME)) return billed;
  return billed.filter(({ bill }) => bill.compactions > 0).slice(0, 1);
}

/** The reference that a run is dearer than: never compacting, else the cheapest of the others. */
export function dearerThan({ costUsd, against }: Bill): string | undefined {
  if (costUsd === null) return undefined;
  const cheaper = against
    .flatMap(({ policy, costUsd: cost }) => (cost === null ? [] : [{ policy, cost }]))
    .filter(({ cost }) => costUsd > cost * (1 + SAME_SHARE))
    .toSorted((one, other) => one.cost - other.cost);
  return (cheaper.find(({ policy }) => policy === CONTROL) ?? cheaper[0])?.policy;
}

/** The compactions of an adapter and why they were dear. */
export function describeWork(bill: Bill, session: string): string {
  return `It made ${[describeCompactions(bill), ...whyDear(bill, session)].join('; ')}.`;
}

function listProblems({ scenarios, unread, gate }: CheckReport, hasPlaces: boolean) {
  return [
    ...scenarios.flatMap((scenario) => marked('✗', failuresOf(scenario, hasPlaces))),
    ...marked('✗ not read:', unread.flatMap(unreadProblems)),
    ...marked('✗', (gate?.findings ?? []).map(describeFinding)),
    ...(gate?.inconclusive ?? []).map(({ reason }) => ({ mark: '?', problem: reason })),
  ];
}

function marked(mark: string, problems: readonly string[]) {
  return problems.map((problem) => ({ mark, problem }));
}

function standingOf({ comparedRuns, findings, inconclusive }: GateReport): string {
  const isCompared = comparedRuns > 0;
  const lack = isCompared ? 'the comparison is inconclusive' : NOTHING_COMPARED;
  const worse = [
    findings.length > 0 && `${countOf(findings.length, 'difference')} from the baseline`,
    inconclusive.length > 0 && lack,
  ].filter(Boolean);
  if (worse.length > 0) return worse.join(', ');
  return isCompared ? 'no difference from the baseline' : NOTHING_COMPARED;
}

function describeCompactions({ compactions, ineffectiveCompactions }: Bill): string {
  const count = countOf(compactions, 'compaction');
  return ineffectiveCompactions === 0
    ? count
    : `${count}, ${formatCount(ineffectiveCompactions)} ineffective`;
}

function whyDear({ cacheBreaks, firstCacheBreak: first, summariesUsd }: Bill, name?: string) {
  const isOnce = cacheBreaks === 1;
  const times = isOnce ? 'once' : `${formatCount(cacheBreaks)} times`;
  const session = first?.session ? ` of ${name ?? first.session}` : '';
  const at = first ? `, ${isOnce ? '' : 'first '}at step ${formatCount(first.step)}${session}` : '';
  return [
    ...(cacheBreaks > 0 ? [`the cache was broken ${times}${at}`] : []),
    ...(summariesUsd ? [`summaries cost ${formatUsd(summariesUsd)}`] : []),
  ];
}

function describeReference(of: BillReference, isPriced: boolean) {
  const { policy, impossibleSessions, costUsd, inputTokens } = of;
  const name = policy === CONTROL ? 'never compacting' : policy;
  if (impossibleSessions !== undefined) return `${name} is impossible here`;
  const amount = isPriced ? costUsd : inputTokens;
  if (amount === null) return `${name} did not complete`;
  return `${name} ${isPriced ? formatUsd(amount) : formatCount(amount)}`;
}
