import type { Metric } from '../../metrics/metric.ts';
import { type MetricName, metrics } from '../../metrics/metrics.ts';
import { alignRows } from '../align-rows.ts';
import { describeMode } from '../mode.ts';
import { describeOrigin } from '../origin.ts';
import { formatCount, formatValue, UNKNOWN } from '../numbers.ts';
import type { Terminal } from '../report.ts';
import { renderSawtooth } from '../sawtooth.ts';
import { shownText } from '../shown-text.ts';
import { fitProse } from '../wrap-prose.ts';
import { renderCurves } from './curve.ts';
import type { VariantResult, WhatIfReport, WhatIfView } from './what-if-report.ts';

/** The rows of the table, as far as they are measured, in the order in which things happen to a run. */
const WHAT_IF_METRICS: readonly string[] = [
  'steps',
  'overflows',
  'refusals',
  'compactions',
  'ineffectiveCompactions',
  'failedCompactions',
  'prunes',
  'peakContextTokens',
  'inputTokens',
  'tokensSaved',
  'hitRate',
  'costUsd',
  'costSummariesUsd',
  'references',
  'misses',
  'missRate',
  'missesPerEviction',
  'missedTokens',
  'missedTokenRate',
  'boundMisses',
  'regretUsd',
  'boundRegretUsd',
  'regretMs',
  'fileRereads',
  'rereadRate',
  'loops',
  'rereadSteps',
  'constraints',
  'goneConstraints',
  'paths',
  'gonePaths',
  'gonePathRate',
  'latencyMs',
];

const known: Readonly<Record<string, Metric>> = metrics;

/** A column for each window and model, none of which is left out, and below it how the context went up and down. */
export function renderWhatIfTable(
  report: WhatIfReport,
  { charts, curve }: WhatIfView,
  terminal: Terminal,
): string {
  const { session, policy, summarizer, seed, mode, origin, variants } = report;
  const prose = (text: string) => fitProse(text, terminal);
  const title = `${session} under ${policy}, summarizer ${summarizer}, seed ${seed}`;
  const sections = [
    prose(shownText(title)),
    alignRows([...headRows(variants), ...metricRows(variants)]),
    ...variants.flatMap(describeEnd).map(prose),
    ...(curve ? [renderCurves(variants, terminal)] : []),
    ...(charts ? variants.map(renderChart) : []),
    prose(describeMode(mode)),
    prose(shownText(describeOrigin(origin))),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** A window as it is told. */
export function windowOf(contextTokens: number): string {
  return contextTokens === 0 ? 'no limit' : formatCount(contextTokens);
}

/** Why a variant did not complete. */
export function describeEnd({ model, limits, record }: VariantResult): readonly string[] {
  if (record.state === 'completed') return [];
  const reason = record.reason === undefined ? '' : `: ${record.reason}`;
  return [shownText(`${nameOf(model, limits.contextTokens)} ${record.state}${reason}`)];
}

function headRows(variants: readonly VariantResult[]): readonly (readonly string[])[] {
  const models = new Set(variants.map(({ model }) => model));
  return [
    ...(models.size > 1 ? [['Model', ...variants.map(({ model }) => shownText(model))]] : []),
    ['Window', ...variants.map(({ limits }) => windowOf(limits.contextTokens))],
    ['Usable', ...variants.map(usableOf)],
    ['State', ...variants.map(({ record }) => record.state)],
  ];
}

function metricRows(variants: readonly VariantResult[]): readonly (readonly string[])[] {
  return WHAT_IF_METRICS.flatMap((name) => {
    const metric = known[name];
    if (metric === undefined) return [];
    const values = variants.map(({ record }) => record.metrics[name as MetricName] ?? null);
    return [[metric.label, ...values.map((value) => formatValue(value, metric.unit))]];
  });
}

function usableOf({ events }: VariantResult): string {
  const start = events.find((event) => event.type === 'run-start');
  return start?.usableTokens === undefined ? UNKNOWN : formatCount(start.usableTokens);
}

function renderChart({ model, limits, events }: VariantResult): string {
  const chart = renderSawtooth(events).trimEnd();
  return `${shownText(nameOf(model, limits.contextTokens))}\n${chart}`;
}

function nameOf(model: string, contextTokens: number): string {
  return `${model}, window ${windowOf(contextTokens)}`;
}
