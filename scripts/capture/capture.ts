import { Writable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import { FIRST_RUN, FIRST_RUN_COMMAND } from '../first-run.ts';

/** A piece of a terminal's line in one style, at the column where it starts. */
interface Span {
  readonly column: number;
  readonly text: string;
  /** Class names; empty for plain text. */
  readonly styles: readonly Style[];
}

/** The styles that the reports use. */
type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** Pixels: a character, a line, the space around the text, the size of letters. */
const CELL_WIDTH = 8;
const LINE_HEIGHT = 18;
const MARGIN = 20;
const FONT_SIZE = 13;

/** The picture brings its own background, so it reads the same on a light and on a dark page. */
const STYLE = `
  text { font: ${FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #dfe3ea }
  .bold { font-weight: 700; fill: #ffffff }
  .dim { fill: #a3abba }
  .red { fill: #ff8f88 }
  .green { fill: #7fd88f }
  .yellow { fill: #f2c661 }
`;

/** What a sequence with that number switches on; 22 and 39 end weight and colour. */
const STARTS: Readonly<Record<string, Style>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
};
const WEIGHTS: readonly Style[] = ['bold', 'dim'];
const END_OF_WEIGHT = '22';
const END_OF_COLOR = '39';

// oxlint-disable-next-line no-control-regex
const SEQUENCE = /\u001b\[(\d+)m/;
/** Words with single spaces between: what columns of a table hold. */
const CELL = /\S+(?: \S+)*/g;

/** The picture of a terminal in which the first run has just ended. */
export async function captureFirstRun(): Promise<string> {
  const output = await runInColors(FIRST_RUN);
  return renderPicture(
    readTerminalText(`$ ${FIRST_RUN_COMMAND}\n\n${output}`),
    `Output of ${FIRST_RUN_COMMAND}`,
  );
}

async function runInColors(argv: readonly string[]): Promise<string> {
  const chunks: string[] = [];
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done();
    },
  });
  const code = await main(argv, {
    stdin: process.stdin,
    stdout,
    stderr: process.stderr,
    env: { FORCE_COLOR: '1' },
    signal: new AbortController().signal,
    now: () => 0,
  });
  if (code !== 0) throw new Error(`Expected exit code 0, got ${code}.`);
  return chunks.join('');
}

/** The lines of a terminal as pieces to draw; a style may go on over a line's end. */
function readTerminalText(text: string): readonly (readonly Span[])[] {
  const styles = new Set<Style>();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => readLine(line, styles));
}

function readLine(line: string, styles: Set<Style>): readonly Span[] {
  const spans: Span[] = [];
  let column = 0;
  for (const [index, piece] of line.split(SEQUENCE).entries()) {
    if (index % 2 === 1) applySequence(piece, styles);
    else {
      spans.push(...splitCells(piece, column, [...styles]));
      column += piece.length;
    }
  }
  return spans;
}

function applySequence(code: string, styles: Set<Style>): void {
  const style = STARTS[code];
  if (style !== undefined) {
    styles.add(style);
    return;
  }
  if (code !== END_OF_WEIGHT && code !== END_OF_COLOR)
    throw new RangeError(`Unknown style ${code}.`);
  const ended = [...styles].filter((one) => WEIGHTS.includes(one) === (code === END_OF_WEIGHT));
  for (const one of ended) styles.delete(one);
}

function splitCells(text: string, column: number, styles: readonly Style[]): readonly Span[] {
  return [...text.matchAll(CELL)].map((cell) => ({
    column: column + cell.index,
    text: cell[0],
    styles,
  }));
}

/** Lines of a terminal as a picture; every piece keeps its columns whatever the font. */
function renderPicture(lines: readonly (readonly Span[])[], title: string): string {
  const columns = Math.max(...lines.flat().map(({ column, text }) => column + text.length));
  const width = columns * CELL_WIDTH + 2 * MARGIN;
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeText(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="#171b24" stroke="#5b6475"/>`,
    ...lines.flatMap((spans, index) => spans.map((span) => renderSpan(span, index))),
    '</svg>\n',
  ].join('\n');
}

function renderSpan({ column, text, styles }: Span, line: number): string {
  const x = MARGIN + column * CELL_WIDTH;
  const y = MARGIN + line * LINE_HEIGHT + FONT_SIZE;
  const styled = styles.length === 0 ? '' : ` class="${styles.join(' ')}"`;
  const length = text.length * CELL_WIDTH;
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${styled}>${escapeText(text)}</text>`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
