import { renderMarkdown, renderTerminal } from './document.ts';
import { renderSvg } from './html/draw-chart.ts';
import { renderHtml } from './html/render-html.ts';
import { timelineOfPlot, toTimelineRun } from './html/timelines.ts';
import { jsonText } from './markup.ts';
import type { Terminal } from './report.ts';
import type { RunEvent } from '../events.ts';
import type { Block } from './document.ts';
import type { RunView } from './saved/run-view.ts';
import {
  columnsOf,
  hasSeveralModels,
  plotOf,
  whatIfDocument,
  type WhatIfReport,
} from './whatif-report.ts';

/** The events of a variant with the views of its requests. */
interface VariantPicture {
  readonly events: readonly RunEvent[];
  readonly view?: RunView | undefined;
}

/** Options of a what-if besides its report. */
interface WhatIfOptions extends Terminal {
  readonly charts?: boolean;
  /** The events and views of each run for a page, in the order of the variants. */
  readonly runs?: readonly VariantPicture[];
}

/** Renderers of a session under other windows and models, by the names of their formats; the default first. */
export const whatIfFormats = {
  table: (report, options) => renderTerminal(whatIfDocument(report, options), options),
  json: (report) => jsonText(report),
  markdown: (report) => renderMarkdown(whatIfDocument(report)),
  html: (report, { runs }) => renderHtml(pageDocument(report, runs)),
  svg: (report, { runs }) => renderSvg(pageDocument(report, runs)),
} satisfies Record<string, (report: WhatIfReport, options: WhatIfOptions) => string>;

/** The document with the session under each window, laid over each other, behind the arms. */
function pageDocument(
  report: WhatIfReport,
  pictures: readonly VariantPicture[] = [],
): readonly Block[] {
  const columns = columnsOf(report);
  const runs = columns.map((column, place) => {
    const { variant, window, name: whole } = column;
    const picture = pictures[place];
    const name = hasSeveralModels(columns) ? whole : window;
    const isHollow = variant.impossible !== undefined;
    return picture === undefined
      ? { ...timelineOfPlot(name, plotOf(report, column)), isHollow }
      : toTimelineRun({ name, isHollow, ...picture });
  });
  const plot = { kind: 'timeline', title: 'The context over the steps', runs } as const;
  const blocks = whatIfDocument(report).filter(({ type }) => type !== 'chart');
  const end = blocks.findIndex(({ type }) => type === 'table') + 1;
  return [...blocks.slice(0, end), { type: 'plot', plot }, ...blocks.slice(end)];
}
