/** What kind of name or number a word is. */
export type NameType = 'path' | 'error' | 'id' | 'symbol' | 'number' | 'url';

/** A name or a number, as it stands in a text. */
export interface Name {
  readonly type: NameType;
  readonly text: string;
}

/** A run of characters of which names are made, or a number with its unit. */
const RUN =
  /\d+(?:\.\d+)? (?:ms|sec|seconds|min|minutes|hours|days|bytes|tokens|requests|rows|lines|px)\b|[A-Za-z0-9_~.@/$#%:-]{2,}/g;
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

/** The names and numbers of a text in order, as often as they stand there. */
export function findNames(text: string): readonly Name[] {
  const names: Name[] = [];
  for (const [run] of text.matchAll(RUN)) {
    if (run.length > LONGEST) continue;
    const name = toName(run);
    if (name !== undefined) names.push(name);
  }
  return names;
}

function toName(run: string): Name | undefined {
  if (!/[A-Z\d_/.#]/.test(run)) return undefined;
  const trimmed = run.replace(EDGES, '');
  const text = URL.test(trimmed) ? trimmed : trimmed.replace(POSITION, '');
  if (text.length < SHORTEST) return undefined;
  const type = typeOf(text);
  return type === undefined ? undefined : { type, text };
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
