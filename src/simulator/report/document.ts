import pico from 'picocolors';
import { sum } from '../lib/collections.ts';
import {
  alignBlocks,
  areOfNumbers,
  type Column,
  cutEnd,
  fitProse,
  PROSE_WIDTH,
  tableSections,
  widthOf,
  wrapAfter,
  wrapProse,
  type Terminal,
} from './layout.ts';
import { codeSpan, joinSections, shownLines, shownText } from './markup.ts';
import { formatCount } from './numbers.ts';
import type { Plot } from './plots.ts';

/** A string that came from a recording, a file name or an option, and must stay inert. */
export interface Untrusted {
  readonly untrusted: string;
  /** The file that it names, to which a page links. */
  readonly file?: string;
}

interface Worded {
  readonly terminal: string;
  readonly markdown: string;
}

export type Piece = string | Untrusted | Worded;

/** A run of text, some of it untrusted. */
export type Text = Piece | readonly Piece[];

/** A table of a document; without rows it is not shown. */
export interface TableBlock {
  readonly type: 'table';
  /** The titles; where they hold no words or names, all but the first are of numbers. */
  readonly columns: readonly (Omit<Column, 'title'> & { readonly title: Text })[];
  readonly rows: readonly (readonly Text[])[];
  readonly lead?: Text;
  readonly note?: Text;
  /** Its rows on a screen with room for so many; absent where it is never shortened. */
  readonly shorten?: 'to first rows' | ((rows: number) => TableBlock['rows']);
  /** Columns without room go on in further blocks; otherwise the least telling ones are left out. */
  readonly isBroken?: true;
  /** The session of each row, to whose section a page links. */
  readonly about?: readonly string[];
  readonly isBad?: readonly boolean[];
  /** From 0 to 1. */
  readonly shades?: readonly (readonly (number | null)[])[];
}

export type Block = (
  | { readonly type: 'heading'; readonly level: 1 | 2 | 3; readonly text: Text }
  | {
      readonly type: 'lines';
      readonly lines: readonly Text[];
      /** In Markdown, each line is an item of a list. */
      readonly areItems?: boolean;
      /** Lines are broken also where the width of the terminal is unknown. */
      readonly isWrapped?: true;
      /** A screen says behind the last one how to see more. */
      readonly isBasis?: true;
      /** Lines that a screen shows. */
      readonly most?: number;
      readonly color?: 'red' | 'yellow' | 'dim';
    }
  | {
      readonly type: 'list';
      readonly title: Text;
      readonly items: readonly Text[];
      /** Of its title in Markdown; 3 where absent. */
      readonly level?: 2 | 3;
      /** Line breaks in items are kept on a terminal. */
      readonly hasLines?: true;
      /** Lines that a screen shows. */
      readonly most?: number;
    }
  | TableBlock
  | {
      readonly type: 'facts';
      readonly title?: Text;
      readonly rows: readonly (readonly [label: string, fact: Text])[];
    }
  | { readonly type: 'chart'; readonly draw: (terminal: Terminal) => string }
  | { readonly type: 'plot'; readonly plot: Plot }
  /** A part of a page that is opened by itself, about a session. */
  | {
      readonly type: 'section';
      readonly title: Text;
      readonly about: string;
      readonly blocks: readonly Block[];
    }
  /** A text to be pasted unchanged, and where. */
  | { readonly type: 'snippet'; readonly where: string; readonly code: string }
) & {
  /** Absent where all formats show it. A screen is a terminal without details. */
  readonly only?: 'terminal' | 'markdown' | 'screen' | 'page';
  /** A terminal shows it only with details. */
  readonly isDetail?: boolean;
  readonly isAsked?: true;
};

/** A page and a picture have everything. */
export const ALL_DETAILS: Terminal = { colors: false, details: true };

type BlockOf<Type> = Extract<Block, { readonly type: Type }>;

const FENCE = '```';
/** Lines of a screen, with an empty one below the last. */
const SCREEN_LINES = 21;
const MORE = '--details: from what';
const WIDEST_GAP = 6;

export function untrusted(text: string): Untrusted {
  return { untrusted: text };
}

export function linesOf(
  texts: readonly Text[],
  look: Partial<BlockOf<'lines'>> = {},
): BlockOf<'lines'> {
  return { type: 'lines', lines: texts, ...look };
}

/** Prose, broken also where the width of the terminal is unknown. */
export function prose(texts: readonly Text[], look: Partial<BlockOf<'lines'>> = {}) {
  return linesOf(texts, { isWrapped: true, ...look });
}

export function listOf(
  title: Text,
  items: readonly Text[],
  look: Partial<BlockOf<'list'>> = {},
): BlockOf<'list'> {
  return { type: 'list', title, items, ...look };
}

export function asDetails(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block) => ({ ...block, isDetail: true }));
}

export function moreOf(count: number) {
  return `${formatCount(count)} more: --details`;
}

/** A text without its marks, for formats that make all of it inert. */
export function textOf(text: Text) {
  return join(text, 'terminal', String);
}

/** Renders a document for a terminal: whole with details, else as a screen. */
export function renderTerminal(
  blocks: readonly Block[],
  terminal: Terminal,
  otherFormat: 'markdown' | 'json' = 'markdown',
) {
  if (terminal.details) {
    const whole = blocks.filter(({ only = 'terminal' }) => only === 'terminal');
    return joinSections(whole.flatMap((block) => toSections(block, terminal, otherFormat)));
  }
  const { terminalColumns = PROSE_WIDTH } = terminal;
  const screen = { ...terminal, terminalColumns };
  const decisive = blocks.filter(
    ({ only = 'screen', isDetail }) => (only === 'screen' || only === 'terminal') && !isDetail,
  );
  return joinSections(toScreen(decisive, (block) => toSections(block, screen, otherFormat)));
}

/** Renders a document as Markdown, with untrusted strings in code spans. */
export function renderMarkdown(blocks: readonly Block[]) {
  const shown = blocks.filter(({ only = 'markdown' }) => only === 'markdown');
  return joinSections(shown.map((block) => toMarkdown(block).join('\n')));
}

export function markdownTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  numberColumns: readonly boolean[],
) {
  const rule = numberColumns.map((isNumber) => (isNumber ? '---:' : '---'));
  return [titles, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function toScreen(blocks: readonly Block[], show: (block: Block) => readonly string[]) {
  const shown = blocks.map((block) => {
    const isFlexible = block.type === 'table' && block.shorten !== undefined;
    return { block, sections: isFlexible ? undefined : show(block) };
  });
  let room = SCREEN_LINES;
  for (const { block, sections = [] } of shown) if (!block.isAsked) room -= countLines(sections);
  return shown.flatMap(({ block, sections }) => {
    if (sections !== undefined || block.type !== 'table') return sections ?? [];
    const fitted = fitRows(block, show, room);
    room -= countLines(fitted);
    return fitted;
  });
}

function fitRows(block: TableBlock, show: (block: Block) => readonly string[], room: number) {
  const { rows, shorten } = block;
  const showRows = (listed: number) => {
    if (typeof shorten === 'function') return show({ ...block, rows: shorten(listed) });
    if (listed === rows.length) return show(block);
    return show({ ...block, rows: [...rows.slice(0, listed), [moreOf(rows.length - listed)]] });
  };
  // A row takes a line or more.
  for (let listed = Math.min(rows.length, Math.max(0, room)); listed > 0; listed--) {
    const sections = showRows(listed);
    if (countLines(sections) <= room) return sections;
  }
  return showRows(0);
}

/** The lines of sections, with the empty one behind each. */
function countLines(sections: readonly string[]) {
  return sum(sections.map((section) => (section === '' ? 0 : section.split('\n').length + 1)));
}

function toSections(block: Block, terminal: Terminal, otherFormat: string) {
  switch (block.type) {
    case 'heading':
    case 'plot':
    case 'section':
      return [];
    case 'lines': {
      const { color, isWrapped, isBasis, most } = block;
      const told = nonEmpty(block.lines.map(plain));
      const lines = isBasis && !terminal.details ? pointToDetails(told, isWrapped) : told;
      const fitted = lines.map((line) =>
        isWrapped ? wrapProse(line, terminal.terminalColumns) : fitProse(line, terminal),
      );
      const text = firstOf(fitted, most, terminal).join('\n');
      if (text === '') return [];
      return [color === undefined ? text : pico.createColors(terminal.colors)[color](text)];
    }
    case 'list': {
      const { title, items, hasLines, most } = block;
      if (items.length === 0) return [];
      const lines = items.map((item) => {
        const text = hasLines ? shownLines(textOf(item)).replaceAll('\n', '\n  ') : plain(item);
        return fitProse(`- ${text}`, terminal);
      });
      const head = fitProse(`${plain(title)}:`, terminal);
      return [[head, ...firstOf(lines, most, terminal)].join('\n')];
    }
    case 'table':
      return block.rows.length === 0 ? [] : toTableSections(block, terminal, otherFormat);
    case 'facts': {
      const { title, rows } = block;
      const [indent, gap] = title === undefined ? ['', '   '] : ['  ', '  '];
      const labels = Math.max(...rows.map(([label]) => label.length));
      const width = Math.min(PROSE_WIDTH, terminal.terminalColumns ?? PROSE_WIDTH);
      const head = title === undefined ? [] : [wrapAfter('', plain(title), width)];
      const facts = rows.map(([label, fact]) =>
        wrapAfter(`${indent}${label.padEnd(labels)}${gap}`, plain(fact), width),
      );
      return [[...head, ...facts].join('\n')];
    }
    case 'chart':
      return [block.draw(terminal)];
    case 'snippet':
      return [shownLines(`${block.where}\n${block.code}`)];
  }
}

function pointToDetails(lines: readonly string[], isWrapped = false) {
  const room = PROSE_WIDTH - MORE.length - 1;
  const cut = isWrapped ? lines : lines.map((line) => cutEnd(line, room));
  const last = cut.at(-1) ?? '';
  const gap = Math.min(WIDEST_GAP, Math.max(1, room + 1 - widthOf(last)));
  return [...cut.slice(0, -1), `${last}${' '.repeat(gap)}${MORE}`.trimStart()];
}

function firstOf(items: readonly string[], most: number | undefined, { details }: Terminal) {
  if (most === undefined || details) return items;
  let lines = 0;
  const end = items.findIndex((item, index) => {
    lines += item.split('\n').length;
    return index > 0 && lines > most;
  });
  return end === -1 ? items : [...items.slice(0, end), moreOf(items.length - end)];
}

function toTableSections(
  { columns, rows, lead, note, isBroken }: TableBlock,
  terminal: Terminal,
  otherFormat: string,
) {
  const { bold } = pico.createColors(terminal.colors);
  const heads = columns.map((column) => {
    const title = plain(column.title);
    return { name: title, ...column, title: bold(title) };
  });
  const cells = rows.map((row) => row.map(plain));
  const [text, leftOut = ''] = isBroken
    ? [alignBlocks([heads.map(({ title }) => title), ...cells], terminal)]
    : tableSections({ columns: heads, rows: cells }, terminal, otherFormat);
  const [above = [], below = []] = [lead, note].map((line) =>
    line === undefined ? [] : [fitProse(plain(line), terminal)],
  );
  return [[...above, text, ...below].join('\n'), leftOut];
}

function toMarkdown(block: Block) {
  switch (block.type) {
    case 'heading':
      return [headingOf(block.level, block.text)];
    case 'lines': {
      const lines = nonEmpty(block.lines.map((line) => marked(line)));
      return block.areItems ? lines.map((line) => `- ${line}`) : lines;
    }
    case 'list': {
      const { title, items, level = 3, hasLines } = block;
      if (items.length === 0) return [];
      // A code span has no line breaks.
      const lines = items.map((item) => `- ${hasLines ? marked(item, /\s*\n\s*/g) : marked(item)}`);
      return [headingOf(level, title), '', ...lines];
    }
    case 'table': {
      const { columns, rows, lead, note } = block;
      if (rows.length === 0) return [];
      const titles = columns.map(({ title }) => marked(title));
      const cells = rows.map((row) => row.map((cell) => marked(cell)));
      return [
        ...(lead === undefined ? [] : [marked(lead), '']),
        ...markdownTable(titles, cells, areOfNumbers(columns)),
        ...(note === undefined ? [] : ['', marked(note)]),
      ];
    }
    case 'facts': {
      const { title, rows } = block;
      const head = title === undefined ? [] : [marked(title), ''];
      const facts = rows.map(([label, fact]) => `- ${label && `${label}: `}${marked(fact)}`);
      return [...head, ...facts];
    }
    case 'chart':
    case 'plot':
    case 'section':
      return [];
    case 'snippet':
      return [block.where, '', FENCE, block.code, FENCE];
  }
}

function headingOf(level: number, text: Text) {
  return `${'#'.repeat(level)} ${marked(text)}`;
}

/** Inert as a whole, since only the start of a line is a command. */
function plain(text: Text) {
  return shownText(textOf(text));
}

function marked(text: Text, breaks?: RegExp) {
  const prepare = (own: string) => (breaks ? own.replaceAll(breaks, ' / ') : own);
  return shownLines(join(text, 'markdown', (own) => codeSpan(prepare(own))));
}

function join(text: Text, format: keyof Worded, quote: (untrusted: string) => string) {
  const pieces = [text].flat().map((piece: Piece) => {
    if (typeof piece === 'string') return piece;
    return 'untrusted' in piece ? quote(piece.untrusted) : piece[format];
  });
  return pieces.join('');
}

function nonEmpty(lines: readonly string[]) {
  return lines.filter((line) => line !== '');
}
