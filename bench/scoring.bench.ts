import { factsAt } from '../src/simulator/session/facts.ts';
import { scoreText } from '../src/simulator/metrics/quality/score-text.ts';
import { generateSession } from '../src/simulator/scenario/workload/generate-session.ts';
import { findWorkload } from '../src/simulator/scenario/workload/workload.ts';
import type { PlantedFact } from '../src/simulator/session/facts.ts';
import type { Figure, Suite, SuiteResult } from './suite.ts';
import { processorMs, takeTurns } from './support/take-turns.ts';

/** For two hundred facts and a summary that says all that hold. */
const MAX_MS = 5;
const FACTS = 200;
const FACTS_PER_KILOTOKEN = 2;
/** Sessions of which the first one with enough facts is taken. */
const MOST_SESSIONS = 20;
const LANGUAGES = ['english', 'chinese', 'japanese'] as const;
/** Half of them are over when the compiler has seen enough. */
const ROUNDS = 400;

type Language = (typeof LANGUAGES)[number];

/** How fast a summary is held against the facts of its session, beside a bare search for their values. */
export const scoring: Suite = { id: 'scoring', name: 'Scoring of summaries', run: measure };

async function measure(): Promise<SuiteResult> {
  const figures: Figure[] = [];
  for (const language of LANGUAGES) figures.push(...(await measureLanguage(language)));
  return { notes: [`${FACTS} facts, a summary that says all of them that hold`], figures };
}

async function measureLanguage(language: Language): Promise<readonly Figure[]> {
  const facts = factsIn(language);
  const text = factsAt(facts).live.map(toLine).join('\n');
  const { score, search } = await takeTurns(ROUNDS, {
    score: () => processorMs(() => scoreText({ text, facts })),
    search: () => processorMs(() => facts.filter(({ value }) => text.includes(value)).length),
  });
  const ms = score.p50;
  return [
    { name: `scoring.milliseconds.${language}`, value: ms, unit: 'ms', atMost: MAX_MS },
    {
      name: `scoring.ratioToSearch.${language}`,
      value: ms / search.p50,
      unit: 'ratio',
    },
  ];
}

function factsIn(language: Language): readonly PlantedFact[] {
  const planting = { factsPerKilotoken: FACTS_PER_KILOTOKEN, injections: 0 };
  const workload = { ...findWorkload('opencode'), languages: { [language]: 1 }, planting };
  for (let index = 0; index < MOST_SESSIONS; index++) {
    const { facts = [] } = generateSession(workload, { seed: 1, index });
    if (facts.length >= FACTS) return facts.slice(0, FACTS);
  }
  throw new Error(`Expected a session of ${FACTS} facts, got none among ${MOST_SESSIONS}.`);
}

function toLine({ subject, value }: PlantedFact): string {
  return `- ${subject}: ${value}`;
}
