/** A document as a page for a browser, with everything in it that it needs. */

import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { HarnessError } from '../../lib/errors.ts';
import { readTextFile } from '../../lib/files.ts';
import { type Block, type TableBlock, type Text, textOf } from '../document.ts';
import { markupText, shownLines, shownText } from '../markup.ts';
import type { Plot } from '../plots.ts';
import { areOfNumbers } from '../text-table.ts';
import { axisOptions, heightOf, toOption } from './chart-options.ts';
import { colorStyle } from './colors.ts';
import { drawChart, readLibrary } from './draw-chart.ts';

/** A page under construction. */
interface Page {
  /** The places of its sections by what they are about. */
  readonly sections: ReadonlyMap<string, number>;
  /** Charts, as its script has them. */
  readonly charts: object[];
}

type BlockOf<Type extends Block['type']> = Extract<Block, { readonly type: Type }>;

/** Nothing is fetched from anywhere; scripts and styles are those of the page. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'";
const FOLDER = new URL('./page/', import.meta.url);
/** In the order in which each may use those before it. */
const SCRIPTS = ['elements.js', 'tables.js', 'parts.js', 'steps.js', 'charts.js', 'page.js'];
const IMPORTS = /^import [^;]*;\n/gm;
const EXPORTS = /^export (?=(?:async )?function|const)/gm;
const COMMENTS = /^ *(?:\/\/.*|\/\*\*.*\*\/|\/\*\*.*\n(?: *\*.*\n)* *\*\/)\n/gm;

/** Data above this many characters is packed. */
const MOST_PLAIN = 1_000_000;
/** Rows of a table of details that is not folded. */
const MOST_OPEN = 30;
const SPARK = { width: 120, height: 24 };
const MOST_SPARK_POINTS = 60;

const MARKS = '▼ compaction · ● prune · ✕ refusal · ◆ loss · ■ failure · - - usable';

/** A document as a page; its first heading is the title. */
export function renderHtml(blocks: readonly Block[]): string {
  const shown = blocks.filter(({ only = 'page' }) => only === 'page');
  const title = shown.find((block) => block.type === 'heading');
  const rest = shown.filter((block) => block !== title);
  const sections = rest.filter((block) => block.type === 'section');
  const page: Page = {
    sections: new Map(sections.map(({ about }, place) => [about, place + 1])),
    charts: [],
  };
  const name = title === undefined ? 'compaction-bench' : words(title.text);
  const main = [
    `<section id="overview"><h1>${name}</h1>`,
    blocksOf(
      rest.filter((block) => block.type !== 'section'),
      page,
    ),
    '</section>',
    ...sections.map((section) => sectionOf(section, page)),
  ];
  return shell(main.join('\n'), { title: name, charts: page.charts });
}

/** A page that a server shows, which looks for newer ones of another version. */
export function withTag(page: string, tag: string): string {
  return page.replace('<html lang="en"', `<html lang="en" data-tag="${markupText(tag)}"`);
}

function shell(
  main: string,
  { title, charts }: { readonly title: string; readonly charts: readonly object[] },
): string {
  const library = charts.length === 0 ? '' : `<script>${readLibrary()}</script>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>
${colorStyle()}${readSource('page.css')}</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header><a class="home" href="#">compaction-bench</a></header>
<main id="content" tabindex="-1">${main}</main>
${dataOf(charts)}
${library}<script>(function () {
'use strict';
${SCRIPTS.map(scriptOf).join('')}})();</script>
</body>
</html>
`;
}

function sectionOf({ title, about, blocks }: BlockOf<'section'>, page: Page): string {
  const inner = blocksOf(blocks, page, 'later');
  const id = `session-${page.sections.get(about) ?? 0}`;
  return `<section id="${id}" class="session"><p class="back"><a href="#">‹ all sessions</a></p><h1>${words(title)}</h1>\n<div class="session-body">${inner}</div></section>`;
}

/** Blocks, the first that says something as the verdict. */
function blocksOf(blocks: readonly Block[], page: Page, draws: 'now' | 'later' = 'now'): string {
  const shown = blocks
    .map((block) => ({ block, html: toHtml(block, page, draws) }))
    .filter(({ html }) => html !== '');
  const verdict = shown.findIndex(
    ({ block }) => block.type === 'facts' || (block.type === 'lines' && !block.isBasis),
  );
  return shown
    .map(({ html }, place) => (place === verdict ? `<div class="verdict">${html}</div>` : html))
    .join('\n');
}

function toHtml(block: Block, page: Page, draws: 'now' | 'later'): string {
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
    case 'list':
      if (block.items.length === 0) return '';
      return `<h2>${words(block.title)}</h2>\n${toItems(block.items.map(words))}`;
    case 'table':
      return block.rows.length === 0 ? '' : toTable(block, page);
    case 'facts': {
      if (block.rows.length === 0 && block.title === undefined) return '';
      const lead = block.title === undefined ? '' : `<p>${words(block.title)}</p>\n`;
      const facts = block.rows.map(
        ([label, fact]) => `<dt>${words(label)}</dt><dd>${words(fact)}</dd>`,
      );
      return facts.length === 0 ? lead : `${lead}<dl>${facts.join('\n')}</dl>`;
    }
    case 'chart': {
      const drawing = block.draw({ colors: false, details: true });
      return `<details><summary>Chart</summary><pre tabindex="0">${preText(drawing)}</pre></details>`;
    }
    case 'plot':
      return toFigure(block.plot, page, draws);
    case 'section':
      return '';
    case 'snippet':
      return `<div class="snippet"><p>${words(block.where)}</p>\n<pre tabindex="0">${preText(block.code)}</pre></div>`;
  }
}

function toItems(lines: readonly string[]): string {
  const shown = lines.filter((line) => line !== '');
  if (shown.length === 0) return '';
  return `<ul>\n${shown.map((line) => `<li>${line}</li>`).join('\n')}\n</ul>`;
}

/** A chart as a picture, which the script of the page makes one that can be pointed at. */
function toFigure(plot: Plot, page: Page, draws: 'now' | 'later'): string {
  const place = page.charts.length;
  page.charts.push({
    option: toOption(plot),
    height: heightOf(plot),
    ...(plot.kind === 'timeline' && {
      runs: plot.runs.map((run) => ({ ...run, name: shownText(run.name) })),
    }),
    ...(plot.kind === 'scatter' && plot.axes.length > 2 && { axes: axisOptions(plot.axes) }),
  });
  const picture = draws === 'now' ? drawChart(plot) : '';
  const note = plot.kind === 'timeline' ? MARKS : (plot.kind === 'scatter' && plot.note) || '';
  const caption = note === '' ? '' : `<p class="soft">${markupText(note)}</p>`;
  return `<figure id="chart-${place}" class="${plot.kind}"><figcaption>${markupText(plot.title)}</figcaption><div class="drawing" role="img" aria-label="${markupText(plot.title)}" style="--height: ${heightOf(plot)}px">${picture}</div>${caption}</figure>`;
}

function toTable(block: BlockOf<'table'>, page: Page): string {
  const { columns, rows, lead, note, isDetail, sparks } = block;
  const isNumber = areOfNumbers(columns);
  const look = (place: number) => (isNumber[place] ? ' class="number"' : '');
  const heads = columns.map(
    ({ title }, place) => `<th scope="col"${look(place)}>${words(title)}</th>`,
  );
  if (sparks !== undefined) heads.push('<th scope="col" class="plain">Context</th>');
  const body = rows.map((row, index) => rowOf(row, { block, index, look, page }));
  const label = words(lead ?? columns[0]?.title ?? 'Table');
  const isFolded = isDetail === true && rows.length > MOST_OPEN;
  const caption = lead === undefined || isFolded ? '' : `<caption>${label}</caption>`;
  const table = `<table>${caption}<thead><tr>${heads.join('')}</tr></thead>\n<tbody>${body.join('\n')}</tbody></table>`;
  const below = note === undefined ? '' : `\n<p class="soft">${words(note)}</p>`;
  const whole = `<div class="scroll" role="region" tabindex="0" aria-label="${label}">${table}</div>${below}`;
  return isFolded ? `<details><summary>${label}</summary>${whole}</details>` : whole;
}

function rowOf(
  [name = '', ...cells]: readonly Text[],
  at: {
    readonly block: TableBlock;
    readonly index: number;
    readonly look: (place: number) => string;
    readonly page: Page;
  },
): string {
  const { about = [], sparks, isBad = [], shades = [] } = at.block;
  const section = at.page.sections.get(about[at.index] ?? '');
  const title =
    section === undefined ? words(name) : `<a href="#session-${section}">${words(name)}</a>`;
  const values = cells.map((cell, place) => {
    const shade = shades[at.index]?.[place];
    const style =
      shade === undefined || shade === null ? '' : ` style="--shade: ${shade.toFixed(2)}"`;
    return `<td${at.look(place + 1)}${style}>${words(cell)}</td>`;
  });
  if (sparks !== undefined) values.push(`<td>${sparkOf(sparks[at.index] ?? [])}</td>`);
  const bad = isBad[at.index] ? ' class="bad"' : '';
  return `<tr${bad}><th scope="row"${at.look(0)}>${title}</th>${values.join('')}</tr>`;
}

/** A line without axes. */
function sparkOf(values: readonly number[]): string {
  if (values.length < 2) return '';
  const each = Math.max(1, Math.ceil(values.length / MOST_SPARK_POINTS));
  const shown = values.filter((_, index) => index % each === 0);
  const top = Math.max(1, ...shown);
  const points = shown.map((value, index) => {
    const x = (index / Math.max(1, shown.length - 1)) * SPARK.width;
    return `${x.toFixed(1)},${(SPARK.height - 1 - (value / top) * (SPARK.height - 2)).toFixed(1)}`;
  });
  return `<svg class="spark" aria-hidden="true" width="${SPARK.width}" height="${SPARK.height}" viewBox="0 0 ${SPARK.width} ${SPARK.height}"><polyline points="${points.join(' ')}"/></svg>`;
}

/** No text of the data can end its script, nor begin another or a comment. */
function dataOf(charts: readonly object[]): string {
  const json = JSON.stringify(charts);
  if (json.length <= MOST_PLAIN) {
    const safe = shownLines(json.replaceAll('<', String.raw`\u003c`));
    return `<script type="application/json" id="data">${safe}</script>`;
  }
  return `<script type="application/gzip" id="data">${gzipSync(json).toString('base64')}</script>`;
}

function scriptOf(name: string): string {
  return readSource(name)
    .replaceAll(COMMENTS, '')
    .replaceAll(IMPORTS, '')
    .replaceAll(EXPORTS, '')
    .replaceAll(/\n{2,}/g, '\n');
}

function readSource(name: string): string {
  return readTextFile(fileURLToPath(new URL(name, FOLDER)), (reason, cause) => {
    const message = `Expected '${name}' to come with the package, but it cannot be read: ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  });
}

/** A text as it may stand anywhere between or in tags; a file of this machine is a link. */
function words(text: Text): string {
  return [text]
    .flat()
    .map((piece) => {
      // What only a terminal is told, such as how to see more, is on no page.
      if (typeof piece !== 'string' && 'markdown' in piece) return markupText(piece.markdown);
      const shown = markupText(textOf(piece));
      if (typeof piece === 'string' || piece.file === undefined || !isAbsolute(piece.file)) {
        return shown;
      }
      return `<a href="${markupText(pathToFileURL(piece.file).href)}">${shown}</a>`;
    })
    .join('');
}

function preText(text: string): string {
  return text.split('\n').map(markupText).join('\n');
}
