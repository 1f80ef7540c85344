import { instructions } from '../../src/engine/index.ts';
import { createRandom } from '../../src/simulator/env.ts';
import { scoreText } from '../../src/simulator/metrics/quality/score-text.ts';
import { FACT_KINDS, type FactKind } from '../../src/simulator/session/facts.ts';
import { findSummarizer } from '../../src/simulator/summarizer/summarizers.ts';
import type { Course, Pivot } from './race-courses.ts';

/** Who is to be beaten. */
export const BASELINES = ['lead', 'tail', 'random', 'textrank'] as const;
/** What a summary is judged by: facts of each kind, those that must be kept, and all. */
export const RACE_KINDS = ['all', 'must', ...FACT_KINDS] as const;

/** One thing that a summary is judged by. */
export type RaceKind = (typeof RACE_KINDS)[number];

/** What summaries hold of the facts of a kind, by weight. */
export interface Held {
  readonly weight: number;
  readonly kept: number;
}

/** What summaries of a runner hold after a pivot. */
export type Standing = ReadonlyMap<RaceKind, Held>;

/** What a runner held after the first and after the second pivot, and the longest of its summaries in tokens. */
export interface Result {
  readonly pivots: readonly [Standing, Standing];
  readonly mostTokens: number;
}

const SEED = 11;
const CHARACTERS_PER_TOKEN = 4;
const OTHER_CHARACTERS_PER_TOKEN = 1.2;
/** First and last character of scripts without spaces. */
const WIDE = [0x3040, 0x9fff] as const;

/** Tokens by characters, fewer of them in scripts without spaces. */
export function countTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= WIDE[0] && code <= WIDE[1]) wide += 1;
  }
  return Math.ceil((text.length - wide) / CHARACTERS_PER_TOKEN + wide / OTHER_CHARACTERS_PER_TOKEN);
}

/** Summarises the first half of each course, then the second half on top of that summary. */
export function race(
  name: string,
  courses: readonly Course[],
  outputCapTokens: number | undefined,
): Result {
  const runs = courses.map((course) => runCourse(name, course, outputCapTokens));
  return {
    pivots: [
      addUp(runs.map(({ standings: [first] }) => first)),
      addUp(runs.map(({ standings: [, second] }) => second)),
    ],
    mostTokens: Math.max(...runs.map(({ mostTokens }) => mostTokens)),
  };
}

/** The share of the facts of a kind that is held after a pivot; `null` where there are no such facts. */
export function shareHeld({ pivots }: Result, pivot: 0 | 1, kind: RaceKind): number | null {
  const held = pivots[pivot].get(kind);
  return held === undefined || held.weight === 0 ? null : held.kept / held.weight;
}

function runCourse(name: string, { pivots }: Course, outputCapTokens: number | undefined) {
  const tools = { countTokens, random: createRandom(SEED) };
  const instruction = instructions['v1.14.21'];
  const summarise = ({ head }: Pivot, prompt: string) => {
    const request = {
      system: '',
      messages: head,
      prompt,
      ...(outputCapTokens !== undefined && { outputCapTokens }),
    };
    const answer = findSummarizer(name).summarise(request, tools);
    return answer.state === 'finished' ? answer.text : '';
  };
  const [before, after] = pivots;
  const first = summarise(before, instruction);
  const quoted = `<previous-summary>\n${first}\n</previous-summary>\n\n${instruction}`;
  const second = summarise(after, quoted);
  return {
    standings: [standingOf(first, before), standingOf(second, after)] as const,
    mostTokens: Math.max(countTokens(first), countTokens(second)),
  };
}

function standingOf(text: string, { facts, atStep }: Pivot): Standing {
  const { facts: scored } = scoreText({ text, facts, atStep });
  const standing = new Map<RaceKind, Held>();
  for (const { kind, criticality, weight, isKept } of scored) {
    const names = [kind, 'all', ...(criticality === 'must' ? (['must'] as const) : [])] as const;
    for (const name of names) add(standing, name, { weight, kept: isKept ? weight : 0 });
  }
  return standing;
}

function addUp(standings: readonly Standing[]): Standing {
  const total = new Map<RaceKind, Held>();
  for (const standing of standings) for (const [name, held] of standing) add(total, name, held);
  return total;
}

function add(standing: Map<RaceKind, Held>, name: FactKind | RaceKind, held: Held): void {
  const known = standing.get(name) ?? { weight: 0, kept: 0 };
  standing.set(name, { weight: known.weight + held.weight, kept: known.kept + held.kept });
}
