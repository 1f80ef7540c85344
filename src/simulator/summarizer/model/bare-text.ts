/** A text without what quoting changes in it, and where each of its characters stands in the text. */
export interface BareText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** What quoting adds, takes away or spells otherwise, once or several times over. */
const QUOTING =
  /\\+(?:u([0-9a-f]{4})|x([0-9a-f]{2})|[nrtbfv0])?|&(?:quot|apos|lt|gt|amp|#34|#39|#x27);|[\s"'<>&]/gi;
const NOT_BARE = /[\s"'<>&\\]/;

/** The characters of a text that no quoting changes. */
export function toBare(text: string): string {
  return text.replace(QUOTING, unquoted);
}

/** The characters of a text that no quoting changes, with where each of them stands. */
export function bareOf(text: string): BareText {
  const bare = { text: '', starts: [] as number[], ends: [] as number[] };
  const add = (characters: string, from: number, to: number | undefined) => {
    for (let index = 0; index < characters.length; index++) {
      bare.starts.push(from + (to === undefined ? index : 0));
      bare.ends.push(to ?? from + index + 1);
    }
    bare.text += characters;
  };
  let readTo = 0;
  for (const match of text.matchAll(QUOTING)) {
    const [whole, unicode, byte] = match;
    add(text.slice(readTo, match.index), readTo, undefined);
    readTo = match.index + whole.length;
    add(unquoted(whole, unicode, byte), match.index, readTo);
  }
  add(text.slice(readTo), readTo, undefined);
  return bare;
}

/** What a piece of quoting stands for; nothing where that may be spelled in several ways. */
function unquoted(_: string, unicode: string | undefined, byte: string | undefined): string {
  const code = unicode ?? byte;
  if (code === undefined) return '';
  const character = String.fromCharCode(Number.parseInt(code, 16));
  return NOT_BARE.test(character) ? '' : character;
}
