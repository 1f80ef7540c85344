import { type MetricName, metrics } from '../../metrics/metrics.ts';
import { alignBlocks } from '../align-blocks.ts';
import { describeMode } from '../mode.ts';
import { describeOrigin } from '../origin.ts';
import type { Terminal } from '../report.ts';
import { drawSawtooth } from '../sawtooth.ts';
import { shownText } from '../shown-text.ts';
import { fitProse } from '../wrap-prose.ts';
import { renderCurves } from './curve.ts';
import { describeEnd, nameOfVariant, variantRows } from './lines.ts';
import type { VariantResult, WhatIfReport, WhatIfView } from './what-if-report.ts';

/** A column for each window and model, and below it how the context went up and down. */
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
    alignBlocks(variantRows(variants, { show: shownText, nameOf: labelOf }), terminal),
    ...variants.flatMap(describeEnd).map(prose),
    ...(curve ? [renderCurves(variants, terminal)] : []),
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
