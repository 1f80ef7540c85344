import type { Limits } from '../../engine/index.ts';
import type { RunEvent, RunMode } from '../events.ts';
import { type MetricName, metrics, titleOf } from '../metrics/metrics.ts';
import { type MissBounds, type MissCurve, missesAt } from '../metrics/miss-curve.ts';
import { countsAs, type RunRecord } from '../metrics/record.ts';
import { RECORDED } from '../replay/recorded.ts';
import { type Text, textOf, untrusted } from './document.ts';
import { describeSavings } from './kept.ts';
import { shownText } from './markup.ts';
import { formatCount, formatShare, formatValue, UNKNOWN } from './numbers.ts';
import type { Origin } from './origin.ts';
import type { RunView } from './saved/shapes.ts';
import type { SawtoothPlot } from './sawtooth.ts';
import { type Arm, armRunOf, onEqualTerms } from './arms.ts';
import { conclude, type Conclusion } from './verdict.ts';

/** One session under several windows and models. */
export interface WhatIfReport {
  readonly session: string;
  readonly policy: string;
  readonly summarizer: string;
  readonly seed: number;
  readonly mode: RunMode;
  /** With the settings in force in every variant. */
  readonly origin: Origin;
  readonly variants: readonly VariantResult[];
}

/** The result of a session under one window of one model, or as it was recorded. */
export interface VariantResult {
  /** The run as recorded, at the list prices of the model; its limits decided nothing. */
  readonly isRecorded?: true;
  readonly model: string;
  /** As used: smaller than declared in the same proportion as the window is. */
  readonly limits: Limits;
  readonly record: Pick<
    RunRecord,
    'seed' | 'state' | 'reason' | 'impossible' | 'baseline' | 'metrics'
  >;
  /** How its context went up and down. */
  readonly plot: SawtoothPlot;
  /** Absent where it was saved, which keeps its plot alone. */
  readonly events?: readonly RunEvent[];
  /** The views of its requests; absent where it did not run, or was saved. */
  readonly view?: RunView;
  /** Absent where the policy has no such curve. */
  readonly curve?: CurveResult;
}

/** How many references are missed for every protect window at once, the compactions of the run standing. */
export interface CurveResult extends MissCurve {
  /** Of the policy's prune. */
  readonly minimumTokens: number;
}

/** Options of the report: charts and curves beside the table. */
export interface WhatIfView {
  readonly charts: boolean;
  /** Misses against the protect window. */
  readonly curve?: boolean;
}

/** The version of the shape of the JSON document. */
export const WHAT_IF_VERSION = 3;

/** The rows of the table below the costs, in the order in which things happen to a run. */
const WHAT_IF_METRICS: readonly MetricName[] = [
  'steps',
  'overflows',
  'refusals',
  'failedCompactions',
  'ineffectiveCompactions',
  'prunes',
  'peakContextTokens',
  'inputTokens',
  'tokensSaved',
  'hitRate',
  'costSummariesUsd',
  'regretUsd',
  'fileRereads',
  'loops',
  'rereadSteps',
  'latencyMs',
];

/** The caption of the curves. */
export const CURVE_CAPTION =
  'Losses per later use against the protect window, from one pass over the session; its compactions stay, which another window may move';

/** Protect windows that a table shows; the distances in the JSON document give all others. */
const WINDOWS = [0, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000];

/** How the variants began and ended, then a row for each metric; a column for each variant, none of which is left out. */
export function variantRows(variants: readonly VariantResult[]): readonly (readonly Text[])[] {
  return [...headRows(variants), ...metricRows(variants)];
}

/** Rows in which variants differ, the first as the titles; and the others in a sentence, as far as they are known. */
export function foldRows([titles = [], ...rows]: readonly (readonly Text[])[]) {
  const same = rows
    .filter(isSame)
    .filter(([, cell = '']) => textOf(cell) !== UNKNOWN)
    .map(([name = '', cell = '']) => `${textOf(name)} ${textOf(cell)}`);
  return {
    rows: [titles, ...rows.filter((row) => !isSame(row))],
    same: same.length === 0 ? [] : [`The same everywhere: ${same.join(', ')}.`],
  };
}

/** A variant by its model and window. */
export function nameOfVariant(variant: VariantResult): string {
  const window = windowOf(variant);
  return `${variant.model}, ${variant.isRecorded ? window : `window ${window}`}`;
}

/** A window as it is told; of the run as recorded, that it is this. */
export function windowOf({
  isRecorded,
  limits: { contextTokens },
}: Pick<VariantResult, 'isRecorded' | 'limits'>): string {
  if (isRecorded) return RECORDED;
  return contextTokens === 0 ? 'no limit' : formatCount(contextTokens);
}

/** Models of the variants, each once. */
export function modelsOf(variants: readonly VariantResult[]): readonly string[] {
  return [...new Set(variants.map(({ model }) => model))];
}

/** The windows and models against what was recorded, or against the first. */
export function concludeVariants(
  report: Pick<WhatIfReport, 'session' | 'mode' | 'variants'>,
): Conclusion {
  return conclude(armsOfVariants(report));
}

/** The windows and models as arms of one run each. */
export function armsOfVariants({
  session,
  mode,
  variants,
}: Pick<WhatIfReport, 'session' | 'mode' | 'variants'>): readonly Arm[] {
  const hasModels = modelsOf(variants).length > 1;
  const nameOf = (variant: VariantResult) =>
    hasModels ? nameOfVariant(variant) : `window ${windowOf(variant)}`;
  const arms = variants.map((variant) => ({
    name: variant.isRecorded ? RECORDED : nameOf(variant),
    runs: [armRunOf(session, { ...variant.record, edgeTokens: edgeOf(variant), mode, session })],
  }));
  return onEqualTerms(arms);
}

/** The variants that were simulated. */
export function simulated(variants: readonly VariantResult[]): readonly VariantResult[] {
  return variants.filter(({ isRecorded }) => !isRecorded);
}

/** The baseline of the savings of all variants. */
export function describeVariantSavings({
  session,
  policy,
  variants,
}: Pick<WhatIfReport, 'session' | 'policy' | 'variants'>): readonly string[] {
  return describeSavings(
    variants.map(({ record, isRecorded }) => ({
      ...record,
      session,
      policy: isRecorded ? RECORDED : policy,
    })),
  );
}

/** Why a variant did not complete. */
export function describeEnd(variant: VariantResult): readonly string[] {
  const { reason: ending, impossible } = variant.record;
  const state = countsAs(variant.record);
  if (state === 'completed') return [];
  const reason = impossible ?? ending;
  const why = reason === undefined ? '' : `: ${reason}`;
  return [shownText(`${nameOfVariant(variant)} ${state}${why}`)];
}

/** The misses of some protect windows. */
export function curvePoints(curve: CurveResult): readonly MissBounds[] {
  const { minimumTokens } = curve;
  return WINDOWS.map((protectTokens) => missesAt(curve, { protectTokens, minimumTokens }));
}

/** Titles of the curves' columns: a variant each, and the number of references of its shares. */
export function curveTitles(variants: readonly VariantResult[]): readonly Text[] {
  const hasModels = modelsOf(variants).length > 1;
  return [
    'Protect',
    ...variants.map((variant) => {
      const window = `window ${windowOf(variant)}: ${headOf(variant.curve)}`;
      return hasModels ? [untrusted(variant.model), `, ${window}`] : window;
    }),
  ];
}

/** A row for each of some protect windows, with a cell for each variant. */
export function curveRows(variants: readonly VariantResult[]): readonly (readonly string[])[] {
  const points = variants.map(({ curve }) => (curve === undefined ? [] : curvePoints(curve)));
  return WINDOWS.map((window, index) => [
    formatCount(window),
    ...variants.map(({ curve }, column) => cellOf(curve, points[column]?.[index])),
  ]);
}

function isSame([, first = '', ...others]: readonly Text[]): boolean {
  return others.length > 0 && others.every((cell) => textOf(cell) === textOf(first));
}

function headRows(variants: readonly VariantResult[]): readonly (readonly Text[])[] {
  const hasModels = modelsOf(variants).length > 1;
  return [
    ...(hasModels ? [['Model', ...variants.map(({ model }) => untrusted(model))]] : []),
    ['Window', ...variants.map(windowOf)],
    ['Usable', ...variants.map(usableOf)],
    ['State', ...variants.map(({ record }) => countsAs(record))],
  ];
}

/** Usable tokens at the first request. */
function usableOf(variant: VariantResult): string {
  if (variant.plot.isUnlimited) return 'no limit';
  return formatCount(edgeOf(variant) ?? null);
}

function edgeOf({ plot: { usableTokens } }: VariantResult): number | undefined {
  return usableTokens[0];
}

function metricRows(variants: readonly VariantResult[]): readonly (readonly Text[])[] {
  return WHAT_IF_METRICS.map((name) => {
    const shown = variants.map(({ record }) => showMetric(name, record.metrics));
    return [titleOf(name), ...shown];
  });
}

function showMetric(name: MetricName, values: VariantResult['record']['metrics']): string {
  return formatValue(values[name] ?? null, metrics[name].unit);
}

function headOf(curve: CurveResult | undefined): string {
  return curve === undefined ? 'no such curve' : `of ${formatCount(curve.references)}`;
}

function cellOf(curve: CurveResult | undefined, point: MissBounds | undefined): string {
  if (curve === undefined || point === undefined) return UNKNOWN;
  const [fewest, most] = [point.fewest, point.most].map((misses) =>
    formatShare(misses, curve.references),
  );
  return fewest === most ? `${fewest}` : `${fewest} to ${most}`;
}
