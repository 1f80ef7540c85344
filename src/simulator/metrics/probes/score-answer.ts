import { plainToolName } from '../../../engine/index.ts';
import { type Expected, UNKNOWN_ANSWER } from './probe.ts';

export const ANSWER_STATES = ['right', 'wrong', 'abstained'] as const;

/** How an answer came out. */
export type AnswerState = (typeof ANSWER_STATES)[number];

type PathExpected = Extract<Expected, { readonly type: 'path' }>;

/** Words of an answer beside the value; a longer one lists what it found. */
const MOST_OTHER_WORDS = 8;
const QUOTES = /[`"'“”‘’«»「」*]/gu;
/** Marks that group digits: `8,461` is 8461. */
const GROUPING = /(?<=\d)[,_\u202f\u00a0](?=\d{3}(?!\d))/gu;
const WORD = /[\p{L}\p{N}_]/u;
const EDGES = /^[(<[]+|[.,;:)>\]]+$/gu;

/** Scores the first line of an answer by containment and nothing else. */
export function scoreAnswer(expected: Expected, answer: string): AnswerState {
  const line = normalise(answer.split('\n').find((one) => one.trim() !== '') ?? '');
  if (line === '' || holds(line, normalise(UNKNOWN_ANSWER))) return 'abstained';
  return isRight(expected, line) ? 'right' : 'wrong';
}

/** A text in one spelling of width, case, spaces, quotation marks and grouped digits. */
export function normalise(text: string): string {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll(QUOTES, '');
  return plain.replaceAll(GROUPING, '').replaceAll(/\s+/gu, ' ').trim();
}

/** Tests if a normalised text holds a normalised value, not as a part of a longer word. */
export function holds(text: string, value: string): boolean {
  if (value === '') return false;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const isInWord =
      joins(text.charAt(at - 1), value.charAt(0)) ||
      joins(value.at(-1) ?? '', text.charAt(at + value.length));
    if (!isInWord) return true;
  }
  return false;
}

function isRight(expected: Expected, line: string): boolean {
  switch (expected.type) {
    case 'text':
      return isValue(expected, line);
    case 'path':
      return isPath(expected, line);
    case 'call':
      return isCall(expected, line);
    case 'permission':
      return line.split(' ')[0]?.replaceAll(EDGES, '') === normalise(expected.answer);
  }
}

function isValue({ accepted, refused }: Expected & { type: 'text' }, line: string) {
  const [value] = accepted.map(normalise).filter((one) => holds(line, one));
  if (value === undefined) return false;
  const rest = line.replace(value, ' ');
  const isAlone = rest.split(' ').filter((word) => WORD.test(word)).length <= MOST_OTHER_WORDS;
  return isAlone && !refused.some((old) => holds(rest, normalise(old)));
}

/** The only path of the answer is the wanted one, written from some folder of it. */
function isPath({ path, least }: Omit<PathExpected, 'type'>, line: string): boolean {
  const wanted = `/${normalise(path).replace(/^\/+/, '')}`;
  const words = wordsOf(line);
  const named = words.filter((word) => word.includes('/') || word.includes('.'));
  const isIt = (word: string) =>
    word.length >= least.length && wanted.endsWith(`/${word.replace(/^\.?\/+/, '')}`);
  return named.length > 0 ? named.every(isIt) : words.some(isIt);
}

function isCall({ tool, targets }: Expected & { type: 'call' }, line: string): boolean {
  const [named = '', ...rest] = wordsOf(line);
  if (plainToolName(named) !== plainToolName(normalise(tool))) return false;
  const target = rest.join(' ');
  return targets.some((one) => {
    const wanted = normalise(one);
    const isFile = wanted.includes('/') && !wanted.includes(' ');
    return isFile ? isPath({ path: wanted, least: '' }, target) : holds(target, wanted);
  });
}

function wordsOf(line: string): readonly string[] {
  return line
    .split(/[\s(]+/)
    .map((word) => word.replaceAll(EDGES, ''))
    .filter((word) => word !== '');
}

/** Scripts without spaces between words join nothing. */
function joins(before: string, after: string): boolean {
  return /[a-z0-9_]/.test(before) && /[a-z0-9_]/.test(after);
}
