import { toCsvLine } from '../sweep/csv-line.ts';
import { type ArmMetricName, armMetrics } from './arm-metrics.ts';
import type { ArmReport, SummarizersReport } from './summarizers-report.ts';

const KEYS = ['summarizer', 'model', 'prompt', 'promptHash', 'scorerVersion', 'bench'] as const;
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

/** One row an arm and metric; an empty cell is unknown. */
export function renderSummarizersCsv({ arms, provenance }: SummarizersReport): string {
  const { scorerVersion, bench } = provenance;
  const titles = [...KEYS, 'metric', 'mean', 'low', 'high', 'sessions'];
  const lines = arms.flatMap((arm) => {
    const key = [arm.summarizer, arm.model, arm.prompt, arm.promptHash, scorerVersion, bench];
    return [...metricCells(arm), ...countCells(arm)].map((cells) => toCsvLine([...key, ...cells]));
  });
  return [toCsvLine(titles), ...lines].join('');
}

function metricCells({ metrics }: ArmReport): readonly (readonly (string | number | null)[])[] {
  return METRICS.map((name) => {
    const { mean, low, high, sessions } = metrics[name];
    return [name, mean, low, high, sessions];
  });
}

function countCells({
  failures,
  mustFacts,
}: ArmReport): readonly (readonly (string | number | null)[])[] {
  return [
    ...COUNTS.map((name) => [name, failures[name], null, null, null]),
    ['mustFacts', mustFacts.of, null, null, null],
    ['mustFactsDropped', mustFacts.dropped, null, null, null],
  ];
}
