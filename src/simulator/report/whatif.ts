import { type MetricName, metrics, titleOf } from '../metrics/metrics.ts';
import { toPageOfWhatIf } from './html/page-of-whatif.ts';
import { renderPage } from './html/render-page.ts';
import {
  codeSpan,
  joinMarkdown,
  jsonText,
  markdownList,
  markdownTable,
  shownText,
} from './markup.ts';
import { describeOrigin } from './origin.ts';
import { fitProse } from './prose.ts';
import { describeMode, type Terminal } from './report.ts';
import { drawSawtooth } from './sawtooth.ts';
import { alignBlocks } from './text-table.ts';
import {
  CURVE_CAPTION,
  curvePoints,
  curveRows,
  curveTitles,
  describeEnd,
  nameOfVariant,
  renderCurves as renderCurvesOfCurve,
  type VariantResult,
  variantRows,
  WHAT_IF_VERSION,
  type WhatIfReport,
  type WhatIfView,
} from './whatif-report.ts';

/** How a session under other windows and models is shown, by name; the default first. */
export const whatIfFormats = {
  table: renderWhatIfTable,
  json: renderWhatIfJson,
  markdown: renderWhatIfMarkdown,
  html: (report: WhatIfReport, view: WhatIfView) => renderPage(toPageOfWhatIf(report, view)),
} satisfies Record<string, (report: WhatIfReport, view: WhatIfView, terminal: Terminal) => string>;

/** Everything, for programs, with the size of the context at each step. */
export function renderWhatIfJson(report: WhatIfReport, view: WhatIfView): string {
  const { session, policy, summarizer, seed, mode, origin, variants } = report;
  const document = {
    whatIfVersion: WHAT_IF_VERSION,
    session,
    policy,
    summarizer,
    seed,
    mode,
    origin,
    variants: variants.map((variant) => toVariant(variant, view)),
  };
  return jsonText(document);
}

function toVariant({ model, limits, record, plot, curve }: VariantResult, view: WhatIfView) {
  const { sizes, usableTokens, marks } = plot;
  const { state, reason, metrics } = record;
  return {
    model,
    limits,
    state,
    ...(reason !== undefined && { reason }),
    metrics,
    sawtooth: {
      contextTokens: sizes,
      usableTokens: usableTokens.map((tokens) => tokens ?? null),
      marks: marks.map(({ kind, steps }) => ({ kind: kind.one, steps })),
    },
    ...(view.curve && { missCurve: curve ? { ...curve, points: curvePoints(curve) } : null }),
  };
}

/** A column for each window and model, and below it how the context went up and down. */
function renderWhatIfTable(
  report: WhatIfReport,
  { charts, curve }: WhatIfView,
  terminal: Terminal,
): string {
  const { session, policy, summarizer, seed, mode, origin, variants } = report;
  const prose = (text: string) => fitProse(text, terminal);
  const title = `${session} under ${policy}, summarizer ${summarizer}, seed ${seed}`;
  const sections = [
    prose(shownText(title)),
    alignBlocks(variantRows(variants, { show: shownText, nameOf: labelOf }), terminal),
    ...variants.flatMap(describeEnd).map(prose),
    ...(curve ? [renderCurvesOfCurve(variants, terminal)] : []),
    ...(charts ? variants.map((variant) => renderChart(variant, terminal)) : []),
    prose(describeMode(mode)),
    prose(shownText(describeOrigin(origin))),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** A row stands below the one that it goes on from. */
function labelOf(name: MetricName): string {
  return metrics[name].label;
}

function renderChart(variant: VariantResult, terminal: Terminal): string {
  const title = fitProse(shownText(nameOfVariant(variant)), terminal);
  return `${title}\n${drawSawtooth(variant.plot, terminal).trimEnd()}`;
}

/** A column for each window and model, to be kept; names from outside stand in code spans. */
function renderWhatIfMarkdown(report: WhatIfReport, { curve }: WhatIfView): string {
  const { session, policy, summarizer, seed, mode, origin, variants } = report;
  return joinMarkdown([
    ['## One session under other windows and models'],
    [
      `${codeSpan(session)} under ${codeSpan(policy)}, summarizer ${codeSpan(summarizer)}, seed ${seed}`,
    ],
    renderRows(variantRows(variants, { show: codeSpan, nameOf: titleOf })),
    markdownList('Not completed', variants.flatMap(describeEnd).map(codeSpan)),
    ...(curve ? renderCurves(variants) : []),
    [describeMode(mode)],
    [codeSpan(describeOrigin(origin))],
  ]);
}

/** The first row stands above the others, for it says what each column is. */
function renderRows([titles = [], ...rows]: readonly (readonly string[])[]): readonly string[] {
  const isNumber = titles.map((_, place) => place > 0);
  return markdownTable(titles, rows, isNumber);
}

function renderCurves(variants: readonly VariantResult[]): readonly (readonly string[])[] {
  const rows = [curveTitles(variants, codeSpan), ...curveRows(variants)];
  return [['### Misses against the protect window'], [`${CURVE_CAPTION}.`], renderRows(rows)];
}
