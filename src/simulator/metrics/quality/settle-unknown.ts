/** A judge for facts of which rules cannot say what a text means. */

import type { PlantedFact } from '../../session/facts.ts';
import type { Reader } from '../probes/probe.ts';
import type { FactState } from './fact-states.ts';
import { type QualityScore, type ScoreOptions, withStates } from './score-text.ts';

const ANSWERS: Readonly<Record<string, FactState>> = {
  KEPT: 'kept',
  UNBOUND: 'unbound',
  WRONG: 'wrong-value',
  CONTRADICTED: 'contradicted',
  STALE: 'stale',
  LOST: 'lost',
};

const SYSTEM = `You are given a text and a fact: a subject and its value. Say what the text tells of the fact, in one word:
KEPT: it states the value with its subject, as it holds, in any wording or language.
UNBOUND: it has the value, but does not tell what it belongs to.
WRONG: it gives the subject another value, or the value another subject.
CONTRADICTED: it plainly says the opposite of the fact.
STALE: it tells as current what it says, or the fact says, held before.
LOST: it says nothing of the fact.
UNKNOWN: you cannot tell. Answer it rather than CONTRADICTED where you are in doubt.`;

/** A score in which a judge has settled doubts; what it leaves open is told. */
export async function settleDoubts(
  score: QualityScore,
  { text, facts, judge }: Pick<ScoreOptions, 'text' | 'facts'> & { judge: Reader },
  onUnanswered: (factId: string, reason: string) => void = () => {},
): Promise<QualityScore> {
  const states = new Map<string, FactState>();
  for (const { id, state } of score.facts) {
    const fact = state === 'unknown' ? facts.find((other) => other.id === id) : undefined;
    if (fact === undefined) continue;
    const question = questionOf(fact);
    const answer = await judge.answer({ system: SYSTEM, context: text, question });
    if (answer.state === 'failed') onUnanswered(id, answer.reason);
    else states.set(id, toState(answer.text));
  }
  return withStates(score, states);
}

function toState(answer: string): FactState {
  const word = answer
    .trim()
    .replaceAll(/[.*`"]/g, '')
    .toUpperCase();
  return ANSWERS[word] ?? 'unknown';
}

function questionOf({ subject, value, polarity, kind, todoState, sentence }: PlantedFact): string {
  const lines = [
    `Subject: ${subject}`,
    `Value: ${value}`,
    polarity === 'dont' ? `It is forbidden or rejected (${kind}).` : '',
    todoState === undefined ? '' : `The task is ${todoState.replace('_', ' ')}.`,
    sentence === undefined ? '' : `As it was said: ${sentence}`,
  ];
  return lines.filter((line) => line !== '').join('\n');
}
