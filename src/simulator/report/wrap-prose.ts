/** Longest line of prose, in characters. */
const PROSE_WIDTH = 100;

/** Prose in lines that a terminal of that many columns does not break again; words stay whole. */
export function wrapProse(text: string, terminalColumns = PROSE_WIDTH): string {
  const width = Math.min(PROSE_WIDTH, terminalColumns);
  return text
    .split(' ')
    .reduce<string[]>((lines, word) => {
      const line = lines.at(-1);
      if (line === undefined || line.length + 1 + word.length > width) return [...lines, word];
      return [...lines.slice(0, -1), `${line} ${word}`];
    }, [])
    .join('\n');
}
