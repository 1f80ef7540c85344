import { addToGroup } from '../../lib/collections.ts';
import { bullet, type Candidate, type Room } from './candidates.ts';
import { NAME_SEPARATOR } from './mentions.ts';
import { findNames } from './names.ts';

/** A name with what begins its line. */
interface Listed {
  readonly opening: string;
  readonly name: string;
}

/** Names in one line: few, so that little is lost of a line that does not fit. */
const PER_LINE = 12;
const OPENING_END = ': ';

/**
 * Lines of the names that do not stand in other lines, as many as the room holds, in the order of the candidates, which
 * are lines of names too.
 */
export function packNames(
  candidates: readonly Candidate[],
  others: readonly Candidate[],
  room: Room,
): readonly Candidate[] {
  const said = new Set(others.flatMap(({ text }) => findNames(text).map((name) => name.text)));
  const names = candidates.flatMap(namesOf).filter(({ name }) => !said.has(name));
  const [first] = candidates;
  let leftTokens = room.capTokens;
  return linesOf(names).flatMap((text, order) => {
    const tokens = room.countTokens(bullet(text));
    if (first === undefined || tokens > leftTokens) return [];
    leftTokens -= tokens;
    return [{ ...first, text, order, tokens }];
  });
}

function namesOf({ text }: Candidate): readonly Listed[] {
  const start = text.indexOf(OPENING_END) + OPENING_END.length;
  const opening = text.slice(0, start);
  return text
    .slice(start)
    .split(NAME_SEPARATOR)
    .map((name) => ({ opening, name }));
}

function linesOf(names: readonly Listed[]): readonly string[] {
  const byOpening = new Map<string, string[]>();
  for (const { opening, name } of names) addToGroup(byOpening, opening, name);
  return [...byOpening].flatMap(([opening, own]) =>
    Array.from(
      { length: Math.ceil(own.length / PER_LINE) },
      (_, line) => opening + own.slice(line * PER_LINE, (line + 1) * PER_LINE).join(NAME_SEPARATOR),
    ),
  );
}
