import type { Message, Part } from '../../../engine/index.ts';
import { addToGroup } from '../../lib/collections.ts';
import type { PlantedFact } from '../../session/facts.ts';
import { outputOf } from '../../session/tool-calls.ts';
import type { Side } from './reference.ts';
import { saidTexts } from './texts.ts';

/** A part that holds a fact's value, and on which side. */
export interface Holder {
  readonly part: Part;
  readonly side: Side;
}

/** Facts that are looked for; more than any generated session has. */
const MOST_FACTS = 1_000;

/** What the facts of a generated session declare: which parts each step needs. */
export function findDeclared(
  messages: readonly Message[],
  facts: readonly PlantedFact[],
): ReadonlyMap<number, readonly Holder[]> {
  const needs = new Map<number, Holder[]>();
  const byStep = facts.length === 0 ? [] : messagesByStep(messages);
  for (const fact of facts.slice(0, MOST_FACTS)) {
    if (fact.neededAt.length === 0) continue;
    const holder = findHolder(byStep[fact.step] ?? [], fact);
    if (holder === undefined) continue;
    for (const step of fact.neededAt) addToGroup(needs, step, holder);
  }
  return needs;
}

/** Each step with the user messages that it answers, by its number. */
function messagesByStep(messages: readonly Message[]): readonly (readonly Message[])[] {
  const steps: Message[][] = [[], []];
  for (const message of messages) {
    steps.at(-1)?.push(message);
    if (message.role === 'assistant') steps.push([]);
  }
  return steps;
}

/** The first part of a fact's step that holds its value, on the side of whoever says it. */
function findHolder(
  messages: readonly Message[],
  { source, value }: Pick<PlantedFact, 'source' | 'value'>,
): Holder | undefined {
  const role = source === 'user' ? 'user' : 'assistant';
  const side = source === 'tool' ? 'output' : 'said';
  const said = messages.filter((message) => message.role === role).flatMap(({ parts }) => parts);
  const part = said.find((each) => textsOn(each, side).some((text) => text.includes(value)));
  return part && { part, side };
}

function textsOn(part: Part, side: Side): readonly string[] {
  if (side === 'said') return saidTexts(part);
  return part.type === 'tool' ? [outputOf(part) ?? ''] : [];
}
