/** What kind of name or number a word is. */
export type NameType = 'path' | 'error' | 'id' | 'symbol' | 'number' | 'url';

/** A name or a number, as it stands in a text. */
export interface Name {
  readonly type: NameType;
  readonly text: string;
}

/** A number with its unit, where a run starts. */
const MEASURE =
  /\d+(?:\.\d+)? (?:ms|sec|seconds|min|minutes|hours|days|bytes|tokens|requests|rows|lines|px)\b/y;
const SHORTEST = 2;
const LONGEST = 160;
const EDGES = /^[.:@$%-]+(?![./])|[.:/@$-]+$/g;
/** `src/a.ts:12` names the file, and a line of it. */
const POSITION = /:\d[\d:-]*$/;
const URL = /^[a-z][a-z+]{2,8}:\/\/./;
const PATH =
  /^(?:~|\.{1,2})?\/[\w.@~-]+(?:\/[\w.@~-]+)+$|^(?:[\w.@~-]+\/)+[\w@~-][\w.@~-]*\.\w{1,10}$|^(?:[\w.@~-]+\/){2,}[\w.@~-]+$/;
const FILE =
  /^\w[\w.-]*\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|c|h|cc|cpp|hpp|swift|sh|sql|json[cl]?|ya?ml|toml|md|txt|html?|css|scss|vue|svelte|lock|cfg|ini|env|xml|csv|log|proto|graphql|ipynb)$/;
const ERROR =
  /^(?:E_[A-Z0-9_]+|ERR_[A-Z0-9_]+|E[A-Z]{4,}|[A-Z]{2,5}\d{3,5}|[A-Z]\w*(?:Error|Exception))$/;
const NUMBER =
  /^\d{4,}(?:\.\d+)?$|^v?\d+\.\d+\.\d+(?:-[\w.]+)?$|^\d+(?:\.\d+)? ?(?:ms|s|[kmg]i?b|bytes|px|%|[km]|[a-z]{3,})$/i;
const HASH = /^(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}$/;
const ID = /^(?=.*\d)[A-Za-z]\w*(?:-\w+)+$|^#\d{2,}$/;
const SYMBOL =
  /^[a-z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*$|^[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+$|^[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_?$|^(?=[a-z0-9]*\d)(?=\d*[a-z])[a-z0-9]{6,}_?$/;

/** What a character is to a name: nothing, a part of one, or a part that a mere word does not have. */
const [OTHER, PART, TELLING, DIGIT] = [0, 1, 2, 3];
const ASCII_END = 128;
/** Of every character. */
const ROLES = new Uint8Array(0x1_00_00);
for (let code = 0; code < ASCII_END; code++) ROLES[code] = roleOf(String.fromCharCode(code));

/** The names and numbers of a text in order, as often as they stand there. */
export function findNames(text: string): readonly Name[] {
  const names: Name[] = [];
  let start = 0;
  while (start < text.length) {
    const first = ROLES[text.charCodeAt(start)];
    const measured = first === DIGIT ? measureEnd(text, start) : 0;
    const end = measured > 0 ? measured : runEnd(text, start);
    if (end - start >= SHORTEST && end - start <= LONGEST && isTelling(text, start, end)) {
      const name = nameOf(text.slice(start, end));
      if (name !== undefined) names.push(name);
    }
    start = Math.max(end, start + 1);
  }
  return names;
}

/** Where a number with its unit ends that begins there; 0 where none does. */
function measureEnd(text: string, start: number): number {
  MEASURE.lastIndex = start;
  return MEASURE.test(text) ? MEASURE.lastIndex : 0;
}

/** Where the characters end of which names are made. */
function runEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && ROLES[text.charCodeAt(end)] !== OTHER) end += 1;
  return end;
}

/** Whether a run is more than a word. */
function isTelling(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    if ((ROLES[text.charCodeAt(index)] ?? OTHER) >= TELLING) return true;
  }
  return false;
}

function roleOf(character: string): number {
  if (/\d/.test(character)) return DIGIT;
  if (/[A-Z_/.#]/.test(character)) return TELLING;
  return /[a-z~@$%:-]/.test(character) ? PART : OTHER;
}

/** The name that a run is, without what stands around it; absent where it is none. */
function nameOf(run: string): Name | undefined {
  const trimmed = run.replace(EDGES, '');
  const text = URL.test(trimmed) ? trimmed : trimmed.replace(POSITION, '');
  const type = text.length < SHORTEST ? undefined : typeOf(text);
  return type && { type, text };
}

function typeOf(text: string): NameType | undefined {
  if (text.includes('/')) {
    if (URL.test(text)) return 'url';
    return PATH.test(text) ? 'path' : undefined;
  }
  if (NUMBER.test(text)) return 'number';
  if (FILE.test(text)) return 'path';
  if (ERROR.test(text)) return 'error';
  if (HASH.test(text) || ID.test(text)) return 'id';
  return SYMBOL.test(text) ? 'symbol' : undefined;
}
