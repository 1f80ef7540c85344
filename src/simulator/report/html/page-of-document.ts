import { type Block, type TableBlock, type Text, textOf } from '../document.ts';
import { shownLines, shownText } from '../markup.ts';
import { areOfNumbers } from '../text-table.ts';
import { renderShell } from './render-page.ts';

/** A document as a page that needs no script; its first heading is the title. */
export function renderHtml(blocks: readonly Block[]): string {
  const shown = blocks.filter(({ only, type }) => only === undefined && type !== 'chart');
  const title = shown.find((block) => block.type === 'heading');
  const rest = shown.filter((block) => block !== title);
  const name = title === undefined ? 'compaction-bench' : words(title.text);
  return renderShell(`<h1>${name}</h1>\n${rest.map(toHtml).join('\n')}`, name);
}

function toHtml(block: Block): string {
  switch (block.type) {
    case 'heading':
      return `<h${block.level}>${words(block.text)}</h${block.level}>`;
    case 'lines': {
      const lines = block.lines.map(words).filter((line) => line !== '');
      if (block.areItems) return toItems(lines);
      return lines.map((line) => `<p>${line}</p>`).join('\n');
    }
    case 'list':
      if (block.items.length === 0) return '';
      return `<h2>${words(block.title)}</h2>\n${toItems(block.items.map(words))}`;
    case 'table':
      return block.rows.length === 0 ? '' : toTable(block);
    case 'facts': {
      const facts = block.rows.map(([label, fact]) => `${words(label)} ${words(fact)}`.trim());
      const lead = block.title === undefined ? '' : `<p>${words(block.title)}</p>\n`;
      return `${lead}${toItems(facts)}`;
    }
    case 'chart':
      return '';
    case 'snippet':
      return `<p>${words(block.where)}</p>\n<pre class="text" tabindex="0">${escape(shownLines(block.code))}</pre>`;
  }
}

function toItems(lines: readonly string[]): string {
  return lines.length === 0
    ? ''
    : `<ul>\n${lines.map((line) => `<li>${line}</li>`).join('\n')}\n</ul>`;
}

function toTable({ columns, rows, lead, note }: TableBlock): string {
  const isNumber = areOfNumbers(columns);
  const look = (place: number) => (isNumber[place] ? ' class="number"' : '');
  const heads = columns.map(
    ({ title }, place) => `<th scope="col"${look(place)}>${words(title)}</th>`,
  );
  const body = rows.map(([name = '', ...cells]) => {
    const values = cells.map((cell, place) => `<td${look(place + 1)}>${words(cell)}</td>`);
    return `<tr><th scope="row" class="name">${words(name)}</th>${values.join('')}</tr>`;
  });
  const label = words(lead ?? columns[0]?.title ?? 'Table');
  const caption = lead === undefined ? '' : `<caption>${label}</caption>`;
  const table = `<table>${caption}<thead><tr>${heads.join('')}</tr></thead>\n<tbody>${body.join('\n')}</tbody></table>`;
  const below = note === undefined ? '' : `\n<p class="soft">${words(note)}</p>`;
  return `<div class="scroll" role="region" tabindex="0" aria-label="${label}">${table}</div>${below}`;
}

/** A text as it may stand anywhere between or in tags. */
function words(text: Text): string {
  // What only a terminal is told, such as how to see more, is on no page.
  const pieces = [text]
    .flat()
    .map((piece) => (typeof piece !== 'string' && 'markdown' in piece ? piece.markdown : piece));
  return escape(shownText(textOf(pieces)));
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
