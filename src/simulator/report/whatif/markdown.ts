import { titleOf } from '../../metrics/metrics.ts';
import { codeSpan, markdownTable } from '../code-span.ts';
import { describeMode } from '../mode.ts';
import { describeOrigin } from '../origin.ts';
import { joinMarkdown, markdownList } from '../sections.ts';
import { CURVE_CAPTION, curveRows, curveTitles } from './curve.ts';
import { describeEnd, variantRows } from './lines.ts';
import type { VariantResult, WhatIfReport, WhatIfView } from './what-if-report.ts';

/** A column for each window and model, to be kept; names from outside stand in code spans. */
export function renderWhatIfMarkdown(report: WhatIfReport, { curve }: WhatIfView): string {
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

function renderCurves(variants: readonly VariantResult[]): readonly (readonly string[])[] {
  const rows = [curveTitles(variants, codeSpan), ...curveRows(variants)];
  return [['### Misses against the protect window'], [`${CURVE_CAPTION}.`], renderRows(rows)];
}

/** The first row stands above the others, for it says what each column is. */
function renderRows([titles = [], ...rows]: readonly (readonly string[])[]): readonly string[] {
  const isNumber = titles.map((_, place) => place > 0);
  return markdownTable(titles, rows, isNumber);
}
