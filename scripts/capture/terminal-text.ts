/** A piece of a terminal's line in one style, at the column where it starts. */
export interface Span {
  readonly column: number;
  readonly text: string;
  /** Class names; empty for plain text. */
  readonly styles: readonly Style[];
}

/** The styles that the reports use. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

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

/** The lines of a terminal as pieces to draw; a style may go on over a line's end. */
export function readTerminalText(text: string): readonly (readonly Span[])[] {
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
