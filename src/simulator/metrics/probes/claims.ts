import { firstAtLeast } from '../../lib/collections.ts';
import { normaliseText } from '../quality/text/normalise.ts';
import { indexText } from '../quality/text/text-index.ts';
import { ABSTENTION, CLAUSE_END, GUESS, isNaught, TALK } from './abstention-cues.ts';
import { findPlaces } from './find-texts.ts';
import type { Probe } from './probe.ts';

/** What an answer claims. */
export interface Claims {
  /** The answer without its clauses that only say that something is not known. */
  readonly text: string;
  /** It says that it knows nothing, and offers nothing all the same. */
  readonly isAbstention: boolean;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Something with the look of a value: nobody needs it to say that nothing is known. */
const CODED = /[\d_]|\p{L}{2}\.\p{L}{1,4}$|\/.*\//u;
const TOKEN = /[\p{L}\p{N}_]+(?:[./@-][\p{L}\p{N}_]+)*/gu;
const CAMEL = /\p{Ll}\p{Lu}/u;
const NAMING = /[\p{L}\p{N}]/u;

/** Parts an answer into what it claims and what it says not to know: a guess behind an abstention is a claim. */
export function findClaims(answer: string, probe: Probe): Claims {
  const lines = normaliseText(answer);
  const abstaining = abstainingSpans(lines, answer, probe);
  const text = abstaining.length === 0 ? answer : without(lines, abstaining);
  const isAbstention =
    isNaught(lines) || (abstaining.length > 0 && !offers(text, answer, probe.question));
  return { text, isAbstention };
}

/** The clauses that say that something is not known; words of a value say nothing of the kind. */
function abstainingSpans(lines: string, answer: string, probe: Probe): readonly Span[] {
  const { accepted, refused } = findPlaces(indexText(answer), probe);
  const values = [...accepted, ...refused];
  const cues = spansOf(lines.replaceAll('\n', ' '), ABSTENTION).filter(
    (cue) => !values.some(({ place }) => place.start < cue.end && cue.start < place.end),
  );
  if (cues.length === 0) return [];
  const ends = spansOf(lines, CLAUSE_END);
  const starts = ends.map(({ start }) => start);
  return cues.map((cue) => ({
    start: Math.min(cue.start, ends[firstAtLeast(starts, cue.start + 1) - 1]?.end ?? 0),
    end: starts[firstAtLeast(starts, cue.end)] ?? lines.length,
  }));
}

/** Whether what is left of an answer names a value that the question does not, or guesses one. */
function offers(text: string, answer: string, question: string): boolean {
  const asked = new Set(tokensOf(normaliseText(question)));
  const camels = new Set(tokensOf(answer).filter(isCamel).map(toLower));
  const isValue = (token: string) => CODED.test(token) || camels.has(token);
  if (tokensOf(text).some((token) => isValue(token) && !asked.has(token))) return true;
  return text.split(CLAUSE_END).some(isGuess);
}

/** Whether a clause has more than the word for a guess, and does not speak of the conversation. */
function isGuess(clause: string): boolean {
  if (clause.search(TALK) >= 0) return false;
  return spansOf(clause, GUESS).some(({ end }) => NAMING.test(clause.slice(end)));
}

function without(text: string, spans: readonly Span[]): string {
  let at = 0;
  let left = '';
  for (const { start, end } of spans) {
    left += text.slice(at, Math.max(at, start));
    at = Math.max(at, end);
  }
  return left + text.slice(at);
}

function spansOf(text: string, pattern: RegExp): readonly Span[] {
  return Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
}

function tokensOf(text: string): readonly string[] {
  return text.match(TOKEN) ?? [];
}

function isCamel(token: string): boolean {
  return CAMEL.test(token);
}

function toLower(token: string): string {
  return token.toLowerCase();
}
