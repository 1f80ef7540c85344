import { instructions, type Message } from '../../src/engine/index.ts';
import { extractFacts } from '../../src/simulator/metrics/quality/entities/extract-facts.ts';
import { scoreText } from '../../src/simulator/metrics/quality/score-text.ts';
import { createRandom } from '../../src/simulator/random.ts';
import { generateSession } from '../../src/simulator/scenario/workload/generate-session.ts';
import type { Language, PlantingShape } from '../../src/simulator/scenario/workload/workload.ts';
import { findWorkload } from '../../src/simulator/scenario/workload/workloads.ts';
import type { FactKind, PlantedFact } from '../../src/simulator/session/facts.ts';
import { findSummarizer } from '../../src/simulator/summarizer/summarizers.ts';

/** A session with what is to be kept of it. */
export interface Course {
  readonly name: string;
  readonly messages: readonly Message[];
  /** Absent: taken from the messages of each pivot. */
  readonly facts?: readonly PlantedFact[] | undefined;
}

/** What a course is generated from. */
export interface GeneratedCourse {
  readonly workload: string;
  readonly language: Language;
  readonly index: number;
  readonly planting?: PlantingShape;
}

/** What some summary holds of facts of a kind. */
export interface Held {
  readonly weight: number;
  readonly kept: number;
}

/** What summaries of a runner hold after a pivot, by kind; `all` and `must` are over all kinds. */
export type Standing = Readonly<Partial<Record<FactKind | 'all' | 'must', Held>>>;

/** What a runner held after the first and after the second pivot, and the longest of its summaries in tokens. */
export interface Result {
  readonly pivots: readonly [Standing, Standing];
  readonly mostTokens: number;
}

const SEED = 11;
const CHARACTERS_PER_TOKEN = 4;
const OTHER_CHARACTERS_PER_TOKEN = 1.2;

/** A generated session in one language. */
export function generateCourse({ workload, language, index, planting }: GeneratedCourse): Course {
  const shape = { ...findWorkload(workload), languages: { [language]: 1 } };
  const session = generateSession(planting ? { ...shape, planting } : shape, { seed: SEED, index });
  return {
    name: `${workload} ${language}`,
    messages: session.messages,
    facts: session.facts ?? [],
  };
}

/** Tokens by characters, fewer of them in scripts without spaces. */
export function countTokens(text: string): number {
  const wide = text.match(/[\u3040-\u9fff]/gu)?.length ?? 0;
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

/** The share that is held, by weight; `null` where there are no such facts. */
export function shareHeld(held: Held | undefined): number | null {
  return held === undefined || held.weight === 0 ? null : held.kept / held.weight;
}

function runCourse(name: string, course: Course, outputCapTokens: number | undefined) {
  const { messages } = course;
  const half = Math.ceil(messages.length / 2);
  const tools = { countTokens, random: createRandom(SEED) };
  const summarise = (head: readonly Message[], prompt: string) => {
    const request = {
      system: '',
      messages: head,
      prompt,
      ...(outputCapTokens !== undefined && { outputCapTokens }),
    };
    const answer = findSummarizer(name).summarise(request, tools);
    return answer.state === 'finished' ? answer.text : '';
  };
  const instruction = instructions['v1.14.21'];
  const first = summarise(messages.slice(0, half), instruction);
  const quoted = `<previous-summary>\n${first}\n</previous-summary>\n\n${instruction}`;
  const second = summarise(messages.slice(half), quoted);
  return {
    standings: [
      standingOf(first, course, messages.slice(0, half)),
      standingOf(second, course, messages),
    ] as const,
    mostTokens: Math.max(countTokens(first), countTokens(second)),
  };
}

function standingOf(text: string, { facts }: Course, seen: readonly Message[]): Standing {
  const atStep = seen.filter(({ role }) => role === 'assistant').length;
  const score = scoreText({ text, facts: facts ?? extractFacts(seen), atStep });
  const standing: Partial<Record<FactKind | 'all' | 'must', Held>> = {};
  for (const { kind, criticality, weight, isKept } of score.facts) {
    for (const name of [kind, 'all', ...(criticality === 'must' ? ['must'] : [])] as const) {
      const key = name as FactKind | 'all' | 'must';
      const held = standing[key] ?? { weight: 0, kept: 0 };
      standing[key] = { weight: held.weight + weight, kept: held.kept + (isKept ? weight : 0) };
    }
  }
  return standing;
}

function addUp(standings: readonly Standing[]): Standing {
  const total: Partial<Record<FactKind | 'all' | 'must', Held>> = {};
  for (const standing of standings) {
    for (const [name, held] of Object.entries(standing)) {
      const key = name as FactKind | 'all' | 'must';
      const known = total[key] ?? { weight: 0, kept: 0 };
      total[key] = { weight: known.weight + held.weight, kept: known.kept + held.kept };
    }
  }
  return total;
}
