/** A piece of a text in which what stands together belongs together: an item of a list, a row of a table, or a sentence. */
export interface Unit {
  readonly start: number;
  readonly end: number;
  /** The heading that it stands below, with the line that leads in to its list; empty where there is neither. */
  readonly above: string;
  /** It goes on with the sentence of the line before. */
  readonly isContinuation: boolean;
}

interface Line {
  readonly start: number;
  readonly text: string;
}

const HEADING = /^\s*#{1,6}\s+\S|^\s*\*{0,2}[^\s].{0,60}[:：]\*{0,2}\s*$/;
const MARKED_HEADING = /^\s*#{1,6}\s/;
const ITEM = /^\s*(?:[-*+•·▪–]\s|\d{1,3}[.)、]\s?|[|>]|\[[ x~-]\])/;
/** Where a sentence ends. A full stop inside of a name has no blank behind it. */
const SENTENCE_END_AT_LINE_END = /[.!?;:。！？：；|]$/;
const SENTENCE_END = /[.!?;](?=\s|$)|[。！？]|[!?;](?=[\u3040-\u9fff])/g;

/** The units of a normalised text in order; headings are units of their own. */
export function splitUnits(text: string): readonly Unit[] {
  const units: Unit[] = [];
  let heading = '';
  let lead = '';
  let isOpen = false;
  for (const line of linesOf(text)) {
    const isHeading = HEADING.test(line.text);
    const isItem = ITEM.test(line.text);
    const isContinuation = isOpen && !isItem && !isHeading;
    isOpen = line.text.trim() !== '' && !isHeading && !SENTENCE_END_AT_LINE_END.test(line.text);
    if (line.text.trim() === '') continue;
    if (MARKED_HEADING.test(line.text)) [heading, lead] = [line.text, ''];
    else if (isHeading) lead = line.text;
    else if (!isItem) lead = '';
    const above = isHeading ? '' : `${heading} ${lead}`.trim();
    const own = isItem || isHeading ? [line] : sentencesOf(line);
    for (const [number, { start, text: own_ }] of own.entries()) {
      const isNext = isContinuation && number === 0;
      units.push({ start, end: start + own_.length, above, isContinuation: isNext });
    }
  }
  return units;
}

function* linesOf(text: string): Generator<Line, void, undefined> {
  let start = 0;
  while (start <= text.length) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    yield { start, text: text.slice(start, end) };
    start = end + 1;
  }
}

function sentencesOf({ start, text }: Line): readonly Line[] {
  const ends = [...text.matchAll(SENTENCE_END)].map(({ index }) => index + 1);
  const bounds = [0, ...ends, text.length];
  return bounds.flatMap((from, index) => {
    const sentence = text.slice(from, bounds[index + 1] ?? from);
    return sentence.trim() === '' ? [] : [{ start: start + from, text: sentence }];
  });
}
