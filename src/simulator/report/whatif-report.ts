/** The report of `whatif`: one session under other windows and models, as arms that are compared. */

import * as z from 'zod';
import { type MetricName, metrics, titleOf } from '../metrics/metrics.ts';
import { type MissCurve, missesAt } from '../metrics/miss-curve.ts';
import { countsAs } from '../metrics/record.ts';
import { OWN_SUMMARIES } from '../replay/foreign/compactor.ts';
import { RECORDED } from '../replay/recorded.ts';
import { armBlocks } from './arm-table.ts';
import { type Arm, armRunOf, onEqualTerms } from './arms.ts';
import { asDetails, type Block, type Text, textOf, untrusted } from './document.ts';
import { describeSavings } from './run-notes.ts';
import { shownText } from './markup.ts';
import { formatCount, formatShare, formatValue, UNKNOWN } from './numbers.ts';
import { describeOrigin } from './origin.ts';
import { fitProse } from './prose.ts';
import { basisOf, screenEnd } from './provenance.ts';
import { describeMode } from './report.ts';
import { type Checked, ModeShape, OriginShape, RecordShape } from './saved/shapes.ts';
import { drawSawtooth, hasNoLimit, MARK_KINDS, type SawtoothPlot } from './sawtooth.ts';
import { ArmVerdictShape, conclude, type Conclusion } from './verdict.ts';
import { verdictBlock } from './verdict-lines.ts';

/** One session under several windows and models. */
export type WhatIfReport = Checked<typeof WhatIfSchema>;

/** The result of a session under one window of one model, or as it was recorded. */
export type Variant = WhatIfReport['variants'][number];

/** The miss curve of a variant; `null` where it has none. */
export type Curve = Checked<typeof CurveSchema> | null;

type Variants = Pick<WhatIfReport, 'session' | 'mode' | 'variants' | 'recorded'>;

/** A variant with its names. */
interface Column {
  readonly variant: Variant;
  /** The run as recorded, at the list prices of the model; its limits decided nothing. */
  readonly isRecorded: boolean;
  readonly window: string;
  /** Model and window. */
  readonly name: string;
}

const Tokens = z.number().min(0);

/** How many references are missed for every protect window at once, the compactions of the run standing. */
const CurveSchema = z.object({
  references: z.number(),
  lostToPivots: z.number(),
  distances: z.array(z.number()),
  /** Of the policy's prune. */
  minimumTokens: z.number(),
  points: z.array(z.object({ protectTokens: z.number(), fewest: z.number(), most: z.number() })),
});

const VariantSchema = z.object({
  model: z.string(),
  /** As used: smaller than declared in the same proportion as the window is. */
  limits: z.object({
    contextTokens: Tokens,
    inputTokens: z.number().optional(),
    outputTokens: z.number().optional(),
  }),
  state: RecordShape.shape.state,
  reason: z.string().exactOptional(),
  impossible: RecordShape.shape.impossible,
  baseline: RecordShape.shape.baseline,
  metrics: RecordShape.shape.metrics,
  /** How its context went up and down. */
  sawtooth: z.object({
    contextTokens: z.array(Tokens),
    usableTokens: z.array(Tokens.nullable()),
    marks: z.array(
      z.object({
        kind: z.enum(MARK_KINDS.map(({ id }) => id)),
        steps: z.array(z.int().min(1)).min(1),
      }),
    ),
  }),
  /** Absent where nobody asked for it, `null` where there is none. */
  missCurve: CurveSchema.nullable().exactOptional(),
});

/** A JSON report of `whatif`: the version of its shape, the verdict, the settings in force in every variant, and the variants. */
export const WhatIfSchema = z.object({
  whatIfVersion: z.int(),
  verdict: z.array(ArmVerdictShape).exactOptional(),
  session: z.string(),
  policy: z.string(),
  summarizer: z.string(),
  seed: z.number(),
  mode: ModeShape,
  origin: OriginShape,
  variants: z.array(VariantSchema),
  /** The run as recorded, for each model whose prices it is billed at; absent in documents that do not tell. */
  recorded: z.array(VariantSchema).optional(),
});

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
const CURVE_CAPTION =
  'Losses per later use against the protect window, from one pass over the session; its compactions stay, which another window may move';

/** Protect windows that a table shows; the distances in the JSON document give all others. */
const PROTECT_WINDOWS = [0, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000];

/** The miss curve of a variant, with the misses of some protect windows. */
export function toCurve(curve: MissCurve | undefined, minimumTokens: number): Curve {
  if (curve === undefined) return null;
  const points = PROTECT_WINDOWS.map((protectTokens) =>
    missesAt(curve, { protectTokens, minimumTokens }),
  );
  return { ...curve, minimumTokens, points };
}

/** The windows and models against what was recorded, or against the first. */
export function concludeVariants(report: Variants): Conclusion {
  return conclude(armsOf(report));
}

/** A column for each window and model; on a terminal, below it how the context went up and down. */
export function whatIfDocument(
  report: WhatIfReport,
  { charts = false }: { readonly charts?: boolean } = {},
): readonly Block[] {
  const { session, policy, summarizer, seed, mode, origin } = report;
  const columns = columnsOf(report);
  const hasModels = hasSeveralModels(columns);
  const arms = armsOf(report);
  const conclusion = conclude(arms);
  return [
    { type: 'heading', level: 2, text: 'One session under other windows and models' },
    verdictBlock(conclusion),
    {
      type: 'lines',
      lines: [
        [
          untrusted(session),
          ' under ',
          untrusted(policy),
          ', summarizer ',
          untrusted(summarizer),
          `, seed ${seed}`,
        ],
      ],
      isDetail: true,
    },
    ...armBlocks(arms, conclusion, {
      titles: ['Window'],
      names: columns.map(({ name, window }) => [untrusted(hasModels ? name : window)]),
    }),
    ...asDetails([
      ...numberBlocks(report, columns),
      { type: 'list', title: 'Not completed', items: columns.flatMap(describeEnd) },
    ]),
    ...curveBlocks(columns.filter(({ variant }) => variant.missCurve !== undefined)),
    ...columns.map(
      (column): Block => ({
        type: 'chart',
        ...(charts ? { isAsked: true } : { isDetail: true }),
        draw: (terminal) => {
          const title = fitProse(shownText(column.name), terminal);
          return `${title}\n${drawSawtooth(plotOf(report, column), terminal).trimEnd()}`;
        },
      }),
    ),
    ...asDetails([
      { type: 'lines', lines: savingsOf(report), isWrapped: true },
      { type: 'lines', lines: [describeMode(mode)] },
      { type: 'lines', lines: [untrusted(describeOrigin(origin))], isWrapped: true },
    ]),
    screenEnd([...basisOf({ mode, seed, summarizer, model: policy }), session]),
  ];
}

/** The baseline of the savings of all variants. */
export function savingsOf(report: WhatIfReport): readonly string[] {
  const { session, policy } = report;
  const runs = columnsOf(report).map(({ variant, isRecorded }) => {
    return { ...variant, session, policy: isRecorded ? RECORDED : policy };
  });
  return describeSavings(runs);
}

/** The windows and models as arms of one run each. */
export function armsOf(report: Variants): readonly Arm[] {
  const { session, mode } = report;
  const columns = columnsOf(report);
  const hasModels = hasSeveralModels(columns);
  const arms = columns.map(({ variant, isRecorded, name, window }): Arm => {
    const edgeTokens = variant.sawtooth.usableTokens[0] ?? undefined;
    const simulated = hasModels ? name : `window ${window}`;
    const run = armRunOf(session, { ...variant, edgeTokens, mode, session });
    return { name: isRecorded ? RECORDED : simulated, runs: [run] };
  });
  return onEqualTerms(arms);
}

/** A column for each variant, those as recorded last. */
export function columnsOf({
  variants,
  recorded = [],
}: Pick<WhatIfReport, 'variants' | 'recorded'>): readonly Column[] {
  return [
    ...variants.map((variant) => {
      const { contextTokens } = variant.limits;
      const window = contextTokens === 0 ? 'no limit' : formatCount(contextTokens);
      return { variant, isRecorded: false, window, name: `${variant.model}, window ${window}` };
    }),
    ...recorded.map((variant) => {
      return { variant, isRecorded: true, window: RECORDED, name: `${variant.model}, ${RECORDED}` };
    }),
  ];
}

/** Tests if models differ, so that a window alone is no name. */
export function hasSeveralModels(columns: readonly Column[]): boolean {
  return new Set(columns.map(({ variant }) => variant.model)).size > 1;
}

/** Why a variant did not complete. */
export function describeEnd({ variant, name }: Column): readonly Text[] {
  const state = countsAs(variant);
  if (state === 'completed') return [];
  const reason = variant.impossible ?? variant.reason;
  return [untrusted(shownText(`${name} ${state}${reason === undefined ? '' : `: ${reason}`}`))];
}

/** How the context of a variant went up and down. */
export function plotOf(
  { policy, summarizer }: Pick<WhatIfReport, 'policy' | 'summarizer'>,
  { variant: { sawtooth, limits }, isRecorded }: Column,
): SawtoothPlot {
  const usableTokens = sawtooth.usableTokens.map((tokens) => tokens ?? undefined);
  // Of somebody's own compaction nobody knows when it acts.
  const isTold = !isRecorded && summarizer !== OWN_SUMMARIES;
  return {
    sizes: sawtooth.contextTokens,
    usableTokens,
    isUnlimited: isTold && hasNoLimit({ policy, limits }, usableTokens),
    marks: sawtooth.marks.flatMap(({ kind, steps }) =>
      MARK_KINDS.filter(({ id }) => id === kind).map((one) => ({ kind: one, steps })),
    ),
  };
}

/** The numbers in which variants differ, and those that are the same everywhere, as far as they are known. */
function numberBlocks(report: WhatIfReport, columns: readonly Column[]): readonly Block[] {
  const [titles = [], ...numbers] = numberRows(report, columns);
  const rows = numbers.filter((row) => !isSame(row));
  const same = numbers
    .filter(isSame)
    .map((row) => row.slice(0, 2).map(textOf))
    .filter(([, cell]) => cell !== UNKNOWN)
    .map((words) => words.join(' '));
  return [
    {
      type: 'table',
      columns: titles.map((title) => ({ title })),
      rows,
      isBroken: true,
      lead: 'More numbers:',
    },
    {
      type: 'lines',
      lines: same.length === 0 ? [] : [`The same everywhere: ${same.join(', ')}.`],
      isWrapped: true,
    },
  ];
}

/** The share of references that each of some protect windows would miss; nothing where nobody asked. */
function curveBlocks(columns: readonly Column[]): readonly Block[] {
  if (columns.length === 0) return [];
  const hasModels = hasSeveralModels(columns);
  const titles = columns.map(({ variant: { missCurve }, name, window }): Text => {
    const head = missCurve ? `of ${formatCount(missCurve.references)}` : 'no such curve';
    return [untrusted(hasModels ? name : `window ${window}`), `: ${head}`];
  });
  const rows = PROTECT_WINDOWS.map((protectTokens, index) => [
    formatCount(protectTokens),
    ...columns.map(({ variant }) => curveCell(variant, index)),
  ]);
  return [
    { type: 'heading', level: 3, text: 'Losses against the protect window' },
    {
      type: 'table',
      columns: ['Protect', ...titles].map((title) => ({ title })),
      rows,
      isBroken: true,
      isAsked: true,
      lead: [CURVE_CAPTION, { terminal: ':', markdown: '.' }],
    },
  ];
}

function curveCell({ missCurve }: Variant, index: number): string {
  const point = missCurve?.points[index];
  if (!missCurve || point === undefined) return UNKNOWN;
  const fewest = formatShare(point.fewest, missCurve.references);
  const most = formatShare(point.most, missCurve.references);
  return fewest === most ? fewest : `${fewest} to ${most}`;
}

/** How the variants began and ended, then a row for each metric. */
function numberRows(
  report: WhatIfReport,
  columns: readonly Column[],
): readonly (readonly Text[])[] {
  const models = columns.map(({ variant }) => untrusted(variant.model));
  return [
    ...(hasSeveralModels(columns) ? [['Model', ...models]] : []),
    ['Window', ...columns.map(({ window }) => window)],
    ['Usable', ...columns.map((column) => usableOf(plotOf(report, column)))],
    ['State', ...columns.map(({ variant }) => countsAs(variant))],
    ...WHAT_IF_METRICS.map((name) => [
      titleOf(name),
      ...columns.map(({ variant }) =>
        formatValue(variant.metrics[name] ?? null, metrics[name].unit),
      ),
    ]),
  ];
}

/** Usable tokens at the first request. */
function usableOf({ isUnlimited, usableTokens }: SawtoothPlot): string {
  return isUnlimited ? 'no limit' : formatCount(usableTokens[0] ?? null);
}

function isSame([, first = '', ...others]: readonly Text[]): boolean {
  return others.length > 0 && others.every((cell) => textOf(cell) === textOf(first));
}
