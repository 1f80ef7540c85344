import { toCsvLine } from '../csv-line.ts';
import { type ArmMetricName, armMetrics } from './arm-metrics.ts';
import type { ArmProbes, ProbesReport } from './probes-report.ts';
import type {
  ArmDifference,
  ArmReport,
  IntervalEstimate,
  MeanEstimate,
  SummarizersReport,
} from './summarizers-report.ts';

type Cell = string | number | null;

/** One number: of which arm or judge, what it is called, and its estimate. */
interface Entry {
  readonly part: 'metric' | 'count' | 'kind' | 'decay' | 'difference' | 'ratio' | 'probe' | 'judge';
  readonly arm: string;
  readonly metric: string;
  readonly estimate: IntervalEstimate & Partial<Pick<MeanEstimate, 'sessions'>>;
  readonly base?: string;
  readonly verdict?: string;
}

type Owner = Pick<Entry, 'part' | 'arm'>;

const TITLES = [
  'part',
  'arm',
  'summarizer',
  'model',
  'prompt',
  'promptHash',
  'scorerVersion',
  'bench',
  'reader',
  'metric',
  'mean',
  'low',
  'high',
  'sessions',
  'base',
  'verdict',
] as const;
const COUNTS = [
  'trials',
  'pivots',
  'failed',
  'unreached',
  'cut',
  'nonCompressing',
  'empty',
] as const;
const METRICS = Object.keys(armMetrics) as readonly ArmMetricName[];

/** One row a number, of every part of the report; an empty cell is unknown. */
export function renderSummarizersCsv(report: SummarizersReport): string {
  const { arms, provenance, probes } = report;
  const byName = new Map(arms.map((arm) => [arm.name, arm]));
  const lines = entriesOf(report).map((entry) => {
    const { part, arm, metric, estimate, base = null, verdict = null } = entry;
    const of = byName.get(arm);
    const key = of ? [of.summarizer, of.model, of.prompt, of.promptHash] : [arm, null, null, null];
    const { mean, low, high, sessions = null } = estimate;
    const { scorerVersion, bench } = provenance;
    const told: readonly Cell[] = [metric, mean, low, high, sessions, base, verdict];
    return toCsvLine([part, arm, ...key, scorerVersion, bench, probes?.reader ?? null, ...told]);
  });
  return [toCsvLine([...TITLES]), ...lines].join('');
}

function entriesOf({ arms, differences, probes }: SummarizersReport): readonly Entry[] {
  return [
    ...arms.flatMap(armEntries),
    ...differences.flatMap(differenceEntries),
    ...(probes ? probes.arms.flatMap(probeEntries) : []),
    ...(probes ? judgeEntries(probes) : []),
  ];
}

/** The ratio of costs stands below their difference. */
function differenceEntries({ difference, ratio, ...rest }: ArmDifference): readonly Entry[] {
  const { arm, base, metric, verdict } = rest;
  const told = { arm, metric, base, verdict };
  return [
    { part: 'difference', estimate: difference, ...told },
    ...(ratio === undefined ? [] : [{ part: 'ratio' as const, estimate: ratio, ...told }]),
  ];
}

function armEntries({ name: arm, metrics, failures, mustFacts, kinds, decay }: ArmReport) {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, failures[name]]));
  const { of: mustFactsOf, dropped: mustFactsDropped } = mustFacts;
  return [
    ...entries(
      { part: 'metric', arm },
      Object.fromEntries(METRICS.map((name) => [name, metrics[name]])),
    ),
    ...countEntries(
      { part: 'count', arm },
      { ...counts, mustFacts: mustFactsOf, mustFactsDropped },
    ),
    ...entries({ part: 'kind', arm }, kinds),
    ...entries({ part: 'decay', arm }, decayEstimates(decay)),
  ];
}

function decayEstimates({ summary, view, survival }: ArmReport['decay']) {
  return {
    ...numbered('retention', summary.retention),
    rho: summary.rho,
    halfLife: summary.halfLife,
    ...numbered('viewRetention', view.retention),
    viewRho: view.rho,
    viewHalfLife: view.halfLife,
    ...numbered(
      'survival',
      survival.map((point) => point.survival),
    ),
  };
}

function numbered(name: string, estimates: readonly MeanEstimate[]) {
  return Object.fromEntries(estimates.map((own, index) => [`${name}.${index + 1}`, own]));
}

function probeEntries(probes: ArmProbes): readonly Entry[] {
  const { arm, questions, unanswered, accuracy, retention, loss, kinds } = probes;
  const { attentionLoss, summaryValue, falseRecallRate } = probes;
  const failed = unanswered.reduce((total, { times }) => total + times, 0);
  const right = Object.entries(kinds).map(([kind, own]) => [`right.${kind}`, own] as const);
  const estimates = { ...accuracy, retention, ...loss, attentionLoss, summaryValue };
  return [
    ...countEntries({ part: 'probe', arm }, { questions, unanswered: failed }),
    ...entries({ part: 'probe', arm }, { ...estimates, falseRecallRate }),
    ...entries({ part: 'probe', arm }, Object.fromEntries(right)),
  ];
}

/** What all judges agree in has no judge of its own. */
function judgeEntries({ judges, agreement }: ProbesReport): readonly Entry[] {
  const own = judges.flatMap(({ name: arm, kappa, selfAgreement, ...judge }) => {
    const { labels, unreadable, failed } = judge;
    return [
      ...entries({ part: 'judge', arm }, { kappa, selfAgreement }),
      ...countEntries({ part: 'judge', arm }, { labels, unreadable, failed }),
    ];
  });
  if (agreement === undefined) return own;
  const { onLabels: alphaOnLabels, onSample: alphaOnSample, sampled } = agreement;
  const all = { part: 'judge', arm: 'all judges' } as const;
  return [
    ...own,
    ...entries(all, { alphaOnLabels, alphaOnSample }),
    ...countEntries(all, { sampled }),
  ];
}

function entries(
  owner: Owner,
  estimates: Readonly<Record<string, IntervalEstimate | undefined>>,
): readonly Entry[] {
  return Object.entries(estimates).flatMap(([metric, estimate]) =>
    estimate === undefined ? [] : [{ ...owner, metric, estimate }],
  );
}

function countEntries(owner: Owner, counts: Readonly<Record<string, number>>): readonly Entry[] {
  return Object.entries(counts).map(([metric, count]) => ({
    ...owner,
    metric,
    estimate: { mean: count, low: null, high: null },
  }));
}
