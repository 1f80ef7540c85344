/** Something that was measured, to be drawn. */
export interface Bar {
  readonly label: string;
  readonly value: number;
}

const WIDTH_CHARS = 40;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Bars below one another, all to one scale from 0 on, each with its value as a text. */
export function drawBars(
  bars: readonly Bar[],
  most: number,
  show: (value: number) => string,
): readonly string[] {
  const labelChars = Math.max(...bars.map(({ label }) => label.length));
  return bars.map(({ label, value }) => {
    const bar = drawBar(most === 0 ? 0 : value / most).padEnd(WIDTH_CHARS);
    return `${label.padStart(labelChars)} ${bar} ${show(value)}`;
  });
}

/** A bar of a share of the width, to an eighth of a character. */
function drawBar(share: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * WIDTH_CHARS * EIGHTHS.length);
  return '█'.repeat(Math.floor(eighths / EIGHTHS.length)) + EIGHTHS[eighths % EIGHTHS.length];
}
