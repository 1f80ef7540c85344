const FENCE = /^\s*(?:```|~~~)/;
const LIST_MARK = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
/** Opens a list: what it says holds for each entry below. */
const LIST_OPENING = /[:：]\s*$/;
/** Longest opening that is repeated with each entry of its list. */
const LONGEST_OPENING = 200;

/**
 * The lines of a text that somebody wrote, without fenced code. A fence that is never closed hides
 * nothing. Each entry of a list follows the line that opens the list: `Do not touch: src/old.ts`.
 */
export function proseLines(text: string): readonly string[] {
  let opening = '';
  return withoutCode(text.split(/[\r\n]+/)).flatMap((line) => {
    const isEntry = LIST_MARK.test(line);
    if (isEntry) return [opening + line.replace(LIST_MARK, '')];
    if (line.trim() === '') return [];
    const isOpening = LIST_OPENING.test(line);
    opening = isOpening && line.length <= LONGEST_OPENING ? `${line.trim()} ` : '';
    return isOpening ? [] : [line];
  });
}

function withoutCode(lines: readonly string[]): readonly string[] {
  const fences = lines.filter((line) => FENCE.test(line)).length;
  const closedFences = fences - (fences % 2);
  let seenFences = 0;
  return lines.filter((line) => {
    const isFence = FENCE.test(line);
    if (isFence) seenFences += 1;
    return !isFence && (seenFences >= closedFences || seenFences % 2 === 0);
  });
}
