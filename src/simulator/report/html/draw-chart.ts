/** Charts drawn as SVG, and their colours. The library is loaded when the first one is asked for. */

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

const require = createRequire(import.meta.url);

/** The library beside the built page; sources have it as a package. */
const BUILT = fileURLToPath(new URL('./page/echarts.cjs', import.meta.url));
const PACKAGED = 'echarts/dist/echarts.common.min.js';

/** Pixels; a page scales the picture to its width. */
const WIDTH = 960;
const MARGIN = 16;

const COLORS: Readonly<Record<string, readonly [day: string, night: string]>> = {
  paper: ['#fbfbfa', '#14171c'],
  card: ['#ffffff', '#1b1f26'],
  ink: ['#1d2430', '#e6e9ee'],
  soft: ['#566070', '#a3adbb'],
  line: ['#dfe2e6', '#333a45'],
  tint: ['#eef2f8', '#242b36'],
  accent: ['#1f5fbf', '#8ab8ff'],
  bad: ['#a3211a', '#ff9b92'],
  s0: ['#1f5fbf', '#6aa5f0'],
  s1: ['#c2560a', '#f5a84b'],
  s2: ['#0f766e', '#4fd1c0'],
  s3: ['#7c3aed', '#b79cff'],
  s4: ['#be185d', '#ff8ac0'],
  s5: ['#4d7c0f', '#a8d65c'],
  s6: ['#1d2430', '#e6e9ee'],
  s7: ['#8a5a2b', '#d6ad7d'],
};

/** The chart as SVG, with variables for its colours. */
export function drawChart(plot: Plot): string {
  const echarts: typeof ECharts = require(libraryPath());
  const size = { width: WIDTH, height: heightOf(plot) };
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, ...size });
  try {
    // Nobody zooms a picture.
    chart.setOption({ ...toOption(plot), dataZoom: [] });
    // Rules for a pointer have names that count the charts of the process.
    const pointer = /<style[^]*?<\/style>|\s(?:class|ecmeta_\w+)="[^"]*"/g;
    return chart.renderToSVGString().replaceAll(pointer, '').trim();
  } finally {
    chart.dispose();
  }
}

/** A chart as a file of its own, with its background, its title, and the colours of the day. */
export function chartFile(plot: Plot): string {
  const [width, height] = [WIDTH + 2 * MARGIN, heightOf(plot) + 2 * MARGIN];
  const inner = drawChart(plot).replace('<svg ', `<svg x="${MARGIN}" y="${MARGIN}" `);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${markupText(plot.title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="var(--card)"/>
${inner}
</svg>
`.replaceAll(/var\(--(\w+)\)/g, (_, name: string) => COLORS[name]?.[0] ?? '#000');
}

/** The first chart of a document as a file. */
export function renderSvg(blocks: readonly Block[]): string {
  const [first] = plotsIn(blocks);
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

/** The colours as variables of a style. */
export function colorStyle(): string {
  const [day, night] = [0, 1].map((at) =>
    Object.entries(COLORS).map(([name, pair]) => `--${name}: ${pair[at]};`),
  );
  return `:root { color-scheme: light dark; ${day?.join(' ')} }
@media (prefers-color-scheme: dark) { :root { ${night?.join(' ')} } }
`;
}

function plotsIn(blocks: readonly Block[]): readonly Plot[] {
  return blocks.flatMap((block) => {
    if (block.type === 'section') return plotsIn(block.blocks);
    return block.type === 'plot' ? [block.plot] : [];
  });
}

function libraryPath(): string {
  return existsSync(BUILT) ? BUILT : require.resolve(PACKAGED);
}
