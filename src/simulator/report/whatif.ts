import * as z from 'zod';
import type { RunEvent } from '../events.ts';
import { type MetricName, metrics, titleOf } from '../metrics/metrics.ts';
import { type MissCurve, missesAt } from '../metrics/miss-curve.ts';
import { countsAs } from '../metrics/record.ts';
import { RECORDED } from '../replay/recorded.ts';
import { armBlocks } from './arm-table.ts';
import { type Arm, armRunOf, onEqualTerms } from './arms.ts';
import {
  asDetails,
  type Block,
  linesOf,
  listOf,
  prose,
  renderMarkdown,
  renderTerminal,
  type Text,
  textOf,
  untrusted,
} from './document.ts';
import { renderHtml, renderSvg } from './html/render-html.ts';
import { timelineOfPlot, toTimelineRun } from './html/timelines.ts';
import { jsonText, shownText } from './markup.ts';
import { formatCount, formatShare, formatValue, UNKNOWN } from './numbers.ts';
import { describeOrigin, describeSavings } from './origin.ts';
import { fitProse, type Terminal } from './layout.ts';
import { basisOf, screenEnd } from './provenance.ts';
import { describeMode } from './report.ts';
import type { RunView } from './plots.ts';
import {
  type Checked,
  ModeShape,
  OriginShape,
  RecordShape,
  number,
  string,
} from './saved/shapes.ts';
import {
  drawSawtooth,
  hasNoLimit,
  MARK_KINDS,
  plotSawtooth,
  type SawtoothPlot,
} from './sawtooth.ts';
import { ArmVerdictShape, conclude, type Conclusion } from './verdict.ts';
import { verdictBlock } from './verdict-lines.ts';

export type WhatIfReport = Checked<typeof WhatIfSchema>;

/** Under one window of one model, or as recorded. */
export type Variant = WhatIfReport['variants'][number];

/** `null` where there is none. */
type Curve = Checked<typeof CurveSchema> | null;

type Variants = Pick<WhatIfReport, 'session' | 'mode' | 'variants' | 'recorded'>;

type Column = ReturnType<typeof columnsOf>[number];

interface VariantPicture {
  readonly events: readonly RunEvent[];
  readonly view?: RunView | undefined;
}

interface WhatIfOptions extends Terminal {
  readonly charts?: boolean;
  readonly runs?: readonly VariantPicture[];
}

const Tokens = number.min(0);

/** Losses for every protect window at once, the compactions of the run standing. */
const CurveSchema = z.object({
  references: number,
  lostToPivots: number,
  distances: z.array(number),
  minimumTokens: number,
  points: z.array(z.object({ protectTokens: number, fewest: number, most: number })),
});

const VariantSchema = z.object({
  model: string,
  /** Smaller than declared as the window is. */
  limits: z.object({
    contextTokens: Tokens,
    inputTokens: number.optional(),
    outputTokens: number.optional(),
  }),
  state: RecordShape.shape.state,
  reason: string.exactOptional(),
  impossible: RecordShape.shape.impossible,
  baseline: RecordShape.shape.baseline,
  metrics: RecordShape.shape.metrics,
  sawtooth: z.object({
    contextTokens: z.array(Tokens),
    usableTokens: z.array(Tokens.nullable()),
    marks: z.array(
      z.object({
        kind: z.enum(Object.keys(MARK_KINDS)),
        steps: z.array(z.int().min(1)).min(1),
      }),
    ),
  }),
  /** Absent where nobody asked for it, `null` where there is none. */
  missCurve: CurveSchema.nullable().exactOptional(),
});

export const WhatIfSchema = z.object({
  whatIfVersion: z.int(),
  verdict: z.array(ArmVerdictShape).exactOptional(),
  session: string,
  policy: string,
  summarizer: string,
  seed: number,
  mode: ModeShape,
  origin: OriginShape,
  variants: z.array(VariantSchema),
  /** For each model whose prices it is billed at; absent in documents that do not tell. */
  recorded: z.array(VariantSchema).optional(),
});

export const WHAT_IF_VERSION = 3;

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

const CURVE_CAPTION =
  'Losses per later use against the protect window, from one pass over the session; its compactions stay, which another window may move';
/** The distances in the JSON document give all others. */
const PROTECT_WINDOWS = [0, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000];

export const whatIfFormats = {
  table: (report, options) => renderTerminal(toDocument(report, options), options),
  json: (report) => jsonText(report),
  markdown: (report) => renderMarkdown(toDocument(report)),
  html: (report, { runs }) => renderHtml(toPage(report, runs)),
  svg: (report, { runs }) => renderSvg(toPage(report, runs)),
} satisfies Record<string, (report: WhatIfReport, options: WhatIfOptions) => string>;

export function toCurve(curve: MissCurve | undefined, minimumTokens: number): Curve {
  if (curve === undefined) return null;
  const points = PROTECT_WINDOWS.map((protectTokens) =>
    missesAt(curve, { protectTokens, minimumTokens }),
  );
  return { ...curve, minimumTokens, points };
}

export function sawtoothOf(events: readonly RunEvent[]): Variant['sawtooth'] {
  const { isUnlimited: _, ...drawing } = plotSawtooth(events);
  return drawing;
}

/** The windows and models against what was recorded, or against the first. */
export function concludeVariants(report: Variants): Conclusion {
  return conclude(armsOf(report));
}

function toDocument(
  report: WhatIfReport,
  { charts = false }: Pick<WhatIfOptions, 'charts'> = {},
): readonly Block[] {
  const { session, policy, summarizer, seed, mode, origin } = report;
  const columns = columnsOf(report);
  const nameOf = namesOf(columns);
  const arms = armsOf(report);
  const conclusion = conclude(arms);
  const asRuns = columns.map(({ variant, isRecorded }) => {
    return { ...variant, session, policy: isRecorded ? RECORDED : policy };
  });
  return [
    { type: 'heading', level: 2, text: 'One session under other windows and models' },
    verdictBlock(conclusion),
    linesOf(
      [
        [
          untrusted(session),
          ' under ',
          untrusted(policy),
          ', summarizer ',
          untrusted(summarizer),
          `, seed ${seed}`,
        ],
      ],
      { isDetail: true },
    ),
    ...armBlocks(arms, conclusion, {
      titles: ['Window'],
      names: columns.map((column) => [untrusted(nameOf(column))]),
    }),
    ...asDetails([
      ...numberBlocks(report, columns),
      listOf('Not completed', columns.flatMap(describeEnd)),
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
      prose(describeSavings(asRuns)),
      linesOf([describeMode(mode)]),
      prose([untrusted(describeOrigin(origin))]),
    ]),
    screenEnd([...basisOf({ mode, seed, summarizer, model: policy }), session]),
  ];
}

function toPage(report: WhatIfReport, pictures: readonly VariantPicture[] = []): readonly Block[] {
  const columns = columnsOf(report);
  const nameOf = namesOf(columns);
  const runs = columns.map((column, place) => {
    const picture = pictures[place];
    const name = nameOf(column);
    const isHollow = column.variant.impossible !== undefined;
    return picture === undefined
      ? { ...timelineOfPlot(name, plotOf(report, column)), isHollow }
      : toTimelineRun({ name, isHollow, ...picture });
  });
  const plot = { kind: 'timeline', title: 'The context over the steps', runs } as const;
  const blocks = toDocument(report).filter(({ type }) => type !== 'chart');
  const end = blocks.findIndex(({ type }) => type === 'table') + 1;
  return [...blocks.slice(0, end), { type: 'plot', plot }, ...blocks.slice(end)];
}

function armsOf(report: Variants) {
  const { session, mode } = report;
  const columns = columnsOf(report);
  const nameOf = namesOf(columns, 'window ');
  const arms = columns.map((column): Arm => {
    const { variant, isRecorded } = column;
    const edgeTokens = variant.sawtooth.usableTokens[0] ?? undefined;
    const run = armRunOf(session, { ...variant, edgeTokens, mode, session });
    return { name: isRecorded ? RECORDED : nameOf(column), runs: [run] };
  });
  return onEqualTerms(arms);
}

function columnsOf({ variants, recorded = [] }: Pick<Variants, 'variants' | 'recorded'>) {
  return [...variants, ...recorded].map((variant, index) => {
    const { model, limits } = variant;
    // At the list prices of the model; its limits decided nothing.
    const isRecorded = index >= variants.length;
    const tokens = limits.contextTokens === 0 ? 'no limit' : formatCount(limits.contextTokens);
    const window = isRecorded ? RECORDED : tokens;
    const name = `${model}, ${isRecorded ? '' : 'window '}${window}`;
    return { variant, isRecorded, window, name };
  });
}

function namesOf(columns: readonly Column[], prefix = ''): (column: Column) => string {
  const hasModels = hasSeveralModels(columns);
  return ({ name, window }) => (hasModels ? name : `${prefix}${window}`);
}

function hasSeveralModels(columns: readonly Column[]) {
  return new Set(columns.map(({ variant }) => variant.model)).size > 1;
}

function describeEnd({ variant, name }: Column) {
  const state = countsAs(variant);
  if (state === 'completed') return [];
  const reason = variant.impossible ?? variant.reason;
  return [untrusted(shownText(`${name} ${state}${reason === undefined ? '' : `: ${reason}`}`))];
}

function plotOf(
  { policy, summarizer }: Pick<WhatIfReport, 'policy' | 'summarizer'>,
  { variant: { sawtooth, limits }, isRecorded }: Column,
): SawtoothPlot {
  const isUnlimited =
    !isRecorded && hasNoLimit({ policy, summarizer, limits }, sawtooth.usableTokens);
  return { ...sawtooth, isUnlimited };
}

function numberBlocks(report: WhatIfReport, columns: readonly Column[]): readonly Block[] {
  const rowOf = (title: string, cell: (column: Column) => Text) => [title, ...columns.map(cell)];
  const [titles = [], ...numbers] = [
    ...(hasSeveralModels(columns)
      ? [rowOf('Model', ({ variant }) => untrusted(variant.model))]
      : []),
    rowOf('Window', ({ window }) => window),
    rowOf('Usable', (column) => {
      // At the first request.
      const { isUnlimited, usableTokens } = plotOf(report, column);
      return isUnlimited ? 'no limit' : formatCount(usableTokens[0]);
    }),
    rowOf('State', ({ variant }) => countsAs(variant)),
    ...WHAT_IF_METRICS.map((name) =>
      rowOf(titleOf(name), ({ variant }) =>
        formatValue(variant.metrics[name] ?? null, metrics[name].unit),
      ),
    ),
  ];
  const same = numbers
    .filter(isSame)
    .map((row) => row.slice(0, 2).map(textOf))
    .filter(([, cell]) => cell !== UNKNOWN)
    .map((words) => words.join(' '));
  return [
    {
      type: 'table',
      columns: titles.map((title) => ({ title })),
      rows: numbers.filter((row) => !isSame(row)),
      isBroken: true,
      lead: 'More numbers:',
    },
    prose(same.length === 0 ? [] : [`The same everywhere: ${same.join(', ')}.`]),
  ];
}

function isSame([, first = '', ...others]: readonly Text[]) {
  return others.length > 0 && others.every((cell) => textOf(cell) === textOf(first));
}

function curveBlocks(columns: readonly Column[]): readonly Block[] {
  if (columns.length === 0) return [];
  const nameOf = namesOf(columns, 'window ');
  const titles = columns.map((column): Text => {
    const { missCurve } = column.variant;
    const head = missCurve ? `of ${formatCount(missCurve.references)}` : 'no such curve';
    return [untrusted(nameOf(column)), `: ${head}`];
  });
  return [
    { type: 'heading', level: 3, text: 'Losses against the protect window' },
    {
      type: 'table',
      columns: ['Protect', ...titles].map((title) => ({ title })),
      rows: PROTECT_WINDOWS.map((protectTokens, index) => [
        formatCount(protectTokens),
        ...columns.map(({ variant }) => curveCell(variant, index)),
      ]),
      isBroken: true,
      isAsked: true,
      lead: [CURVE_CAPTION, { terminal: ':', markdown: '.' }],
    },
  ];
}

function curveCell({ missCurve }: Variant, index: number) {
  const point = missCurve?.points[index];
  if (!missCurve || point === undefined) return UNKNOWN;
  const fewest = formatShare(point.fewest, missCurve.references);
  const most = formatShare(point.most, missCurve.references);
  return fewest === most ? fewest : `${fewest} to ${most}`;
}
