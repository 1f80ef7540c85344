import {
  asDetails,
  type Block,
  renderMarkdown,
  renderTerminal,
  type TableBlock,
  type Text,
  untrusted,
} from './document.ts';
import { toPageOfWhatIf } from './html/page-of-whatif.ts';
import { renderPage } from './html/render-page.ts';
import { armBlocks } from './arm-table.ts';
import { jsonText, shownText } from './markup.ts';
import { describeOrigin } from './origin.ts';
import { fitProse } from './prose.ts';
import { basisOf, screenEnd } from './provenance.ts';
import { describeMode, type Terminal } from './report.ts';
import { drawSawtooth } from './sawtooth.ts';
import { conclude } from './verdict.ts';
import { verdictBlock } from './verdict-lines.ts';
import {
  armsOfVariants,
  concludeVariants,
  CURVE_CAPTION,
  curvePoints,
  curveRows,
  curveTitles,
  describeEnd,
  describeVariantSavings,
  foldRows,
  modelsOf,
  nameOfVariant,
  simulated,
  type VariantResult,
  variantRows,
  windowOf,
  WHAT_IF_VERSION,
  type WhatIfReport,
  type WhatIfView,
} from './whatif-report.ts';

/** Renderers of a session under other windows and models, by the names of their formats; the default first. */
export const whatIfFormats = {
  table: (report, view, terminal) => renderTerminal(whatIfDocument(report, view), terminal),
  json: renderWhatIfJson,
  markdown: (report, view) => renderMarkdown(whatIfDocument(report, view)),
  html: (report, view) => renderPage(toPageOfWhatIf(report, view)),
} satisfies Record<string, (report: WhatIfReport, view: WhatIfView, terminal: Terminal) => string>;

/** Everything, for programs, with the size of the context at each step. */
export function renderWhatIfJson(report: WhatIfReport, view: WhatIfView): string {
  const { session, policy, summarizer, seed, mode, origin, variants } = report;
  const document = {
    whatIfVersion: WHAT_IF_VERSION,
    verdict: concludeVariants(report).verdict,
    session,
    policy,
    summarizer,
    seed,
    mode,
    origin,
    variants: simulated(variants).map((variant) => toVariant(variant, view)),
    recorded: variants
      .filter(({ isRecorded }) => isRecorded)
      .map((variant) => toVariant(variant, { ...view, curve: false })),
  };
  return jsonText(document);
}

function toVariant({ model, limits, record, plot, curve }: VariantResult, view: WhatIfView) {
  const { sizes, usableTokens, marks } = plot;
  const { state, reason, impossible, baseline, metrics } = record;
  return {
    model,
    limits,
    state,
    ...(reason !== undefined && { reason }),
    ...(impossible !== undefined && { impossible }),
    ...(baseline !== undefined && { baseline }),
    metrics,
    sawtooth: {
      contextTokens: sizes,
      usableTokens: usableTokens.map((tokens) => tokens ?? null),
      marks: marks.map(({ kind, steps }) => ({ kind: kind.id, steps })),
    },
    ...(view.curve && { missCurve: curve ? { ...curve, points: curvePoints(curve) } : null }),
  };
}

/** A column for each window and model; on a terminal, below it how the context went up and down. */
function whatIfDocument(report: WhatIfReport, { charts, curve }: WhatIfView): readonly Block[] {
  const { session, policy, summarizer, seed, mode, origin, variants } = report;
  const ends = variants.flatMap(describeEnd).map(untrusted);
  const arms = armsOfVariants(report);
  const conclusion = conclude(arms);
  const { rows, same } = foldRows(variantRows(variants));
  const shortNameOf = modelsOf(variants).length > 1 ? nameOfVariant : windowOf;
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
      names: variants.map((variant) => [untrusted(shortNameOf(variant))]),
    }),
    ...asDetails([
      { ...tableOf(rows), lead: 'More numbers:' },
      { type: 'lines', lines: same, isWrapped: true },
      { type: 'list', title: 'Not completed', items: ends },
    ]),
    ...(curve ? curveBlocks(simulated(variants)) : []),
    ...variants.map((variant) => chartOf(variant, charts)),
    ...asDetails([
      { type: 'lines', lines: describeVariantSavings(report), isWrapped: true },
      { type: 'lines', lines: [describeMode(mode)] },
      { type: 'lines', lines: [untrusted(describeOrigin(origin))], isWrapped: true },
    ]),
    screenEnd([...basisOf({ ...report, model: policy }), session]),
  ];
}

/** A table whose first row says what each column is. */
function tableOf([titles = [], ...rows]: readonly (readonly Text[])[]): TableBlock {
  return { type: 'table', columns: titles.map((title) => ({ title })), rows, isBroken: true };
}

function curveBlocks(variants: readonly VariantResult[]): readonly Block[] {
  const table = tableOf([curveTitles(variants), ...curveRows(variants)]);
  return [
    { type: 'heading', level: 3, text: 'Losses against the protect window' },
    { ...table, isAsked: true, lead: [CURVE_CAPTION, { terminal: ':', markdown: '.' }] },
  ];
}

function chartOf(variant: VariantResult, isAsked: boolean): Block {
  return {
    type: 'chart',
    ...(isAsked ? { isAsked } : { isDetail: true }),
    draw: (terminal) => {
      const title = fitProse(shownText(nameOfVariant(variant)), terminal);
      return `${title}\n${drawSawtooth(variant.plot, terminal).trimEnd()}`;
    },
  };
}
