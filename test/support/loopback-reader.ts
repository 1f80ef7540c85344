import {
  holds,
  normalise,
  READER_SYSTEM,
  UNKNOWN_ANSWER,
} from '../../src/simulator/metrics/probes/probe.ts';
import type { PlantedFact } from '../../src/simulator/session/facts.ts';
import type { Received } from './model-server/script.ts';

const END_OF_RECORD = '</record>';

/** Tests if a reader is asked. */
export function isQuestion(received: Received): boolean {
  return textsOf(received).join('\n').includes(READER_SYSTEM);
}

/**
 * A reader for a server on loopback. It knows which value belongs to which subject, and answers with the value only if it
 * stands in what it is given to read: it finds what is there and nothing else.
 */
export function createFinder(facts: readonly PlantedFact[]): (received: Received) => string {
  return (received) => {
    const text = textsOf(received).slice(1).join('\n');
    const end = text.lastIndexOf(END_OF_RECORD);
    const [context, question] = [normalise(text.slice(0, Math.max(0, end))), text.slice(end + 1)];
    const asked = facts.filter(
      ({ subject }) => subject !== '' && question.includes(`"${subject}"`),
    );
    if (question.includes('ALLOWED or FORBIDDEN')) {
      const isBanned = asked.some(({ value }) => holds(context, normalise(value)));
      return isBanned ? 'FORBIDDEN' : 'ALLOWED';
    }
    const found = asked.findLast(({ value }) => holds(context, normalise(value)));
    return found?.value ?? UNKNOWN_ANSWER;
  };
}

/** A judge that calls facts kept whose values stand in what it is given to read, and others lost. */
export function answerAsJudge(received: Received): string {
  const text = textsOf(received).slice(1).join('\n');
  const end = text.lastIndexOf(END_OF_RECORD);
  const listed = text.slice(end).matchAll(/^(\d+)\. .*? = (.*?)(?: \(.*)?$/gm);
  return [...listed]
    .map(([, at, value = '']) => `${at}: ${text.slice(0, end).includes(value) ? 'kept' : 'lost'}`)
    .join('\n');
}

/** The texts of the messages of a request, in order. */
function textsOf({ body }: Received): readonly string[] {
  const messages = (body['messages'] ?? body['input'] ?? []) as readonly {
    readonly content: string | readonly { readonly text?: string }[];
  }[];
  return messages.map(({ content }) =>
    typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n'),
  );
}
