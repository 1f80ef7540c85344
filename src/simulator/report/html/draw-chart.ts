/** Charts drawn as SVG. The library is loaded when the first one is asked for. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as ECharts from 'echarts';
import { HarnessError } from '../../lib/errors.ts';
import { readTextFile } from '../../lib/files.ts';
import type { Block } from '../document.ts';
import { markupText } from '../markup.ts';
import type { Plot } from '../plots.ts';
import { heightOf, toOption } from './chart-options.ts';
import { withColors } from './colors.ts';

const require = createRequire(import.meta.url);

/** The library beside the built page; sources have it as a package. */
const BUILT = fileURLToPath(new URL('./page/echarts.cjs', import.meta.url));
const PACKAGED = 'echarts/dist/echarts.common.min.js';

/** Pixels; a page scales the picture to its width. */
const WIDTH = 960;
const MARGIN = 16;

/** The chart as SVG, with variables for its colours. */
export function drawChart(plot: Plot): string {
  const echarts: typeof ECharts = require(libraryPath());
  const [width, height] = [WIDTH, heightOf(plot)];
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    // Nobody zooms a picture.
    chart.setOption({ ...toOption(plot), dataZoom: [] });
    return withoutStyle(chart.renderToSVGString());
  } finally {
    chart.dispose();
  }
}

/** A chart as a file of its own, which brings its background and its title. */
export function chartFile(plot: Plot): string {
  const [width, height] = [WIDTH + 2 * MARGIN, heightOf(plot) + 2 * MARGIN];
  const inner = drawChart(plot).replace('<svg ', `<svg x="${MARGIN}" y="${MARGIN}" `);
  return withColors(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${markupText(plot.title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="var(--card)"/>
${inner}
</svg>
`,
  );
}

/** The first chart of a document as a file. */
export function renderSvg(blocks: readonly Block[]): string {
  const first = findPlot(blocks);
  if (first !== undefined) return chartFile(first);
  throw new HarnessError('BAD_OPTION', 'Expected a report with a chart, got one without.');
}

/** The source of the library for a page. */
export function readLibrary(): string {
  return readTextFile(libraryPath(), (reason, cause) => {
    const message = `Expected the chart library to come with the package, but it cannot be read: ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  });
}

function findPlot(blocks: readonly Block[]): Plot | undefined {
  for (const block of blocks) {
    if (block.type === 'plot') return block.plot;
    const inner = block.type === 'section' ? findPlot(block.blocks) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function libraryPath(): string {
  return existsSync(BUILT) ? BUILT : require.resolve(PACKAGED);
}

/** Without rules for a pointer, whose names count the charts of the process. */
function withoutStyle(svg: string): string {
  return svg.replaceAll(/<style[^]*?<\/style>|\s(?:class|ecmeta_\w+)="[^"]*"/g, '').trim();
}
