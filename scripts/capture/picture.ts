import type { Span } from './terminal-text.ts';

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

/** Lines of a terminal as a picture; every piece keeps its columns whatever the font. */
export function renderPicture(lines: readonly (readonly Span[])[], title: string): string {
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
