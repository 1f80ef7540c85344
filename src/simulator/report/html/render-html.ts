/** A document as a page for a browser, with everything in it that it needs, and its charts as SVG. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type * as ECharts from 'echarts';
import { HarnessError } from '../../lib/errors.ts';
import { readTextFile } from '../../lib/files.ts';
import { ALL_DETAILS, type Block, type TableBlock, type Text, textOf } from '../document.ts';
import { shownLines, shownText } from '../markup.ts';
import { areOfNumbers } from '../layout.ts';
import { axisOptions, heightOf, toOption } from './chart-options.ts';
import type { Plot } from '../plots.ts';
import colors from './colors.json' with { type: 'json' };

interface Page {
  readonly sections: ReadonlyMap<string, number>;
  readonly charts: object[];
  readonly draws: 'now' | 'later';
}

const require = createRequire(import.meta.url);
/** The library beside the built page; sources have it as a package. */
const BUILT = fileURLToPath(new URL('./page/echarts.cjs', import.meta.url));
const PACKAGED = 'echarts/dist/echarts.common.min.js';
/** Pixels; a page scales the picture to its width. */
const WIDTH = 960;
const MARGIN = 16;

const COLORS: Readonly<Record<string, readonly string[]>> = colors;
/** Nothing is fetched from anywhere. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'";
const FOLDER = new URL('./page/', import.meta.url);
/** In the order in which each may use those before it. */
const SCRIPTS = ['elements.js', 'steps.js', 'charts.js', 'page.js'];
const IMPORTS = /^import [^;]*;\n/gm;
const EXPORTS = /^export (?=(?:async )?function|const)/gm;
const COMMENTS = /^ *(?:\/\/.*|\/\*\*.*\*\/|\/\*\*.*\n(?: *\*.*\n)* *\*\/)\n/gm;
const MOST_PLAIN = 1_000_000;
const MOST_OPEN = 30;
const MARKS = '▼ compaction · ● prune · ✕ refusal · ◆ loss · ■ failure · - - usable';

/** A document as a page; its first heading is the title. */
export function renderHtml(blocks: readonly Block[]) {
  const shown = blocks.filter(({ only = 'page' }) => only === 'page');
  const title = shown.find((block) => block.type === 'heading');
  const sections = shown.filter((block) => block.type === 'section');
  const overview = shown.filter((block) => block !== title && block.type !== 'section');
  const page: Page = {
    sections: new Map(sections.map(({ about }, place) => [about, place + 1])),
    charts: [],
    draws: 'now',
  };
  const name = title === undefined ? 'compaction-bench' : words(title.text);
  const main = [
    `<section id="overview"><h1>${name}</h1>`,
    blocksOf(overview, page),
    '</section>',
    ...sections.map((section, place) => {
      const inner = blocksOf(section.blocks, { ...page, draws: 'later' });
      return `<section id="session-${place + 1}" class="session"><p class="back"><a href="#">‹ all sessions</a></p><h1>${words(section.title)}</h1>\n<div class="session-body">${inner}</div></section>`;
    }),
  ].join('\n');
  const library = page.charts.length === 0 ? '' : `<script>${readLibrary()}</script>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${name}</title>
<style>
${colorStyle()}${readSource('page.css')}</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header><a class="home" href="#">compaction-bench</a></header>
<main id="content" tabindex="-1">${main}</main>
${dataOf(page.charts)}
${library}<script>(function () {
'use strict';
${SCRIPTS.map(scriptOf).join('')}})();</script>
</body>
</html>
`;
}

/** A page that a server shows, which looks for newer ones of another version. */
export function withTag(page: string, tag: string) {
  return page.replace('<html lang="en"', `<html lang="en" data-tag="${markupText(tag)}"`);
}

/** The chart as SVG, with variables for its colours. */
export function drawChart(plot: Plot) {
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

/** With its background, its title, and the colours of the day. */
export function chartFile(plot: Plot) {
  const [width, height] = [WIDTH + 2 * MARGIN, heightOf(plot) + 2 * MARGIN];
  const inner = drawChart(plot).replace('<svg ', `<svg x="${MARGIN}" y="${MARGIN}" `);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${markupText(plot.title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="var(--card)"/>
${inner}
</svg>
`.replaceAll(/var\(--(\w+)\)/g, (_, name: string) => COLORS[name]?.[0] ?? '#000');
}

export function renderSvg(blocks: readonly Block[]) {
  const [first] = plotsIn(blocks);
  if (first !== undefined) return chartFile(first);
  throw new HarnessError('BAD_OPTION', 'Expected a report with a chart, got one without.');
}

export function readLibrary() {
  return readPackaged('the chart library', libraryPath());
}

function blocksOf(blocks: readonly Block[], page: Page) {
  const shown = blocks
    .map((block) => ({ block, html: toHtml(block, page) }))
    .filter(({ html }) => html !== '');
  const verdict = shown.find(
    ({ block }) => block.type === 'facts' || (block.type === 'lines' && !block.isBasis),
  );
  return shown
    .map((one) => (one === verdict ? `<div class="verdict">${one.html}</div>` : one.html))
    .join('\n');
}

function toHtml(block: Block, page: Page) {
  switch (block.type) {
    case 'heading':
      return `<h2>${words(block.text)}</h2>`;
    case 'lines': {
      const { color } = block;
      const lines = block.lines.map(words).filter((line) => line !== '');
      if (block.areItems) return toItems(lines);
      const look = color === undefined ? '' : ` class="${color === 'red' ? 'bad' : 'soft'}"`;
      return lines.map((line) => `<p${look}>${line}</p>`).join('\n');
    }
    case 'list': {
      const items = toItems(block.items.map(words));
      return items === '' ? '' : `<h2>${words(block.title)}</h2>\n${items}`;
    }
    case 'table':
      return block.rows.length === 0 ? '' : toTable(block, page);
    case 'facts': {
      const lead = block.title === undefined ? '' : `<p>${words(block.title)}</p>\n`;
      const facts = block.rows.map(
        ([label, fact]) => `<dt>${words(label)}</dt><dd>${words(fact)}</dd>`,
      );
      return facts.length === 0 ? lead : `${lead}<dl>${facts.join('\n')}</dl>`;
    }
    case 'chart':
      return `<details><summary>Chart</summary>${preText(block.draw(ALL_DETAILS))}</details>`;
    case 'plot':
      return toFigure(block.plot, page);
    case 'section':
      return '';
    case 'snippet':
      return `<div class="snippet"><p>${words(block.where)}</p>\n${preText(block.code)}</div>`;
  }
}

function toItems(lines: readonly string[]) {
  const items = lines.flatMap((line) => (line === '' ? [] : `<li>${line}</li>`));
  return items.length === 0 ? '' : `<ul>\n${items.join('\n')}\n</ul>`;
}

function toFigure(plot: Plot, { charts, draws }: Page) {
  const { kind } = plot;
  const height = heightOf(plot);
  charts.push({
    option: toOption(plot),
    height,
    ...(kind === 'timeline' && {
      runs: plot.runs.map((run) => ({ ...run, name: shownText(run.name) })),
    }),
    ...(kind === 'scatter' && plot.axes.length > 2 && { axes: axisOptions(plot.axes) }),
  });
  const picture = draws === 'now' ? drawChart(plot) : '';
  const note = kind === 'timeline' ? MARKS : (kind === 'scatter' && plot.note) || '';
  const below = note === '' ? '' : `<p class="soft">${markupText(note)}</p>`;
  const title = markupText(plot.title);
  return `<figure id="chart-${charts.length - 1}" class="${kind}"><figcaption>${title}</figcaption><div class="drawing" role="img" aria-label="${title}" style="--height: ${height}px">${picture}</div>${below}</figure>`;
}

function toTable(block: TableBlock & Pick<Block, 'isDetail'>, page: Page) {
  const { columns, rows, lead, note, isDetail, about = [] } = block;
  const areNumbers = areOfNumbers(columns);
  const look = (place: number) => (areNumbers[place] ? ' class="number"' : '');
  const heads = columns.map(
    ({ title }, place) => `<th scope="col"${look(place)}>${words(title)}</th>`,
  );
  const body = rows.map(([name = '', ...cells], index) => {
    const section = page.sections.get(about[index] ?? '');
    const link = section === undefined ? '' : `<a href="#session-${section}">`;
    const values = cells.map((cell, place) => {
      const shade = block.shades?.[index]?.[place] ?? undefined;
      const style = shade === undefined ? '' : ` style="--shade: ${shade.toFixed(2)}"`;
      return `<td${look(place + 1)}${style}>${words(cell)}</td>`;
    });
    const bad = block.isBad?.[index] ? ' class="bad"' : '';
    return `<tr${bad}><th scope="row"${look(0)}>${link}${words(name)}${link && '</a>'}</th>${values.join('')}</tr>`;
  });
  const label = words(lead ?? columns[0]?.title ?? 'Table');
  const isFolded = isDetail === true && rows.length > MOST_OPEN;
  const caption = lead === undefined || isFolded ? '' : `<caption>${label}</caption>`;
  const table = `<table>${caption}<thead><tr>${heads.join('')}</tr></thead>\n<tbody>${body.join('\n')}</tbody></table>`;
  const below = note === undefined ? '' : `\n<p class="soft">${words(note)}</p>`;
  const whole = `<div class="scroll" role="region" tabindex="0" aria-label="${label}">${table}</div>${below}`;
  return isFolded ? `<details><summary>${label}</summary>${whole}</details>` : whole;
}

/** No text of the data can end its script, nor begin another or a comment. */
function dataOf(charts: readonly object[]) {
  const json = JSON.stringify(charts);
  if (json.length <= MOST_PLAIN) {
    const safe = shownLines(json.replaceAll('<', String.raw`\u003c`));
    return `<script type="application/json" id="data">${safe}</script>`;
  }
  return `<script type="application/gzip" id="data">${gzipSync(json).toString('base64')}</script>`;
}

function scriptOf(name: string) {
  return readSource(name)
    .replaceAll(COMMENTS, '')
    .replaceAll(IMPORTS, '')
    .replaceAll(EXPORTS, '')
    .replaceAll(/\n{2,}/g, '\n');
}

function readSource(name: string) {
  return readPackaged(`'${name}'`, fileURLToPath(new URL(name, FOLDER)));
}

function readPackaged(what: string, path: string) {
  return readTextFile(path, (reason, cause) => {
    const message = `Expected ${what} to come with the package, but it cannot be read: ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  });
}

function words(text: Text) {
  const pieces = [text].flat().map((piece) => {
    // What only a terminal is told is on no page.
    if (typeof piece !== 'string' && 'markdown' in piece) return markupText(piece.markdown);
    const shown = markupText(textOf(piece));
    const file = typeof piece === 'string' ? undefined : piece.file;
    if (file === undefined || !isAbsolute(file)) return shown;
    return `<a href="${markupText(pathToFileURL(file).href)}">${shown}</a>`;
  });
  return pieces.join('');
}

function preText(text: string) {
  return `<pre tabindex="0">${text.split('\n').map(markupText).join('\n')}</pre>`;
}

function colorStyle() {
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

function libraryPath() {
  return existsSync(BUILT) ? BUILT : require.resolve(PACKAGED);
}

/** For anywhere between or in tags of HTML and SVG. */
function markupText(text: string) {
  return shownText(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
