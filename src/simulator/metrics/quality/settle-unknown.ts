/** A judge for facts of which rules cannot say what a text means. */

import type { PlantedFact } from '../../session/facts.ts';
import type { Reader, ReaderAnswer } from '../probes/probe.ts';
import type { FactState } from './fact-states.ts';

/** A fact that is in doubt, and the text. */
interface Doubt {
  readonly text: string;
  readonly fact: PlantedFact;
}

/** The judgement of a fact, or why there is none. */
type Settled =
  | { readonly state: 'settled'; readonly is: FactState }
  | Extract<ReaderAnswer, { readonly state: 'failed' }>;

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

/** Asks a judge for the state of a fact. It stays `unknown` where the judge gives none of the words. */
export async function settleUnknown(judge: Reader, { text, fact }: Doubt): Promise<Settled> {
  const answer = await judge.answer({ system: SYSTEM, context: text, question: questionOf(fact) });
  if (answer.state === 'failed') return answer;
  const word = answer.text
    .trim()
    .replaceAll(/[.*`"]/g, '')
    .toUpperCase();
  return { state: 'settled', is: ANSWERS[word] ?? 'unknown' };
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
