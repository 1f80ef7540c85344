import { type AssistantMessage, isSentAsIs, type Message, type Part } from '../../engine/index.ts';

/**
 * What a message says, as a key: the same in every run, although each run makes its messages anew. Of what
 * is sent in part only or in another form, the message itself.
 */
export function contentOf(message: Message): readonly Part[] | Message {
  return isSentAsIs(message) ? message.parts : message;
}

/** Whether two messages of one id are sent as the same, although each run made its own. Calls are the same only if they are one. */
export function saysTheSame(one: Message, other: Message): boolean {
  return areOfOneKind(one, other) && areSameParts(one.parts, other.parts);
}

/** Of a step it depends on these which of its parts are sent, and in which form. */
function areOfOneKind(one: Message, other: Message): boolean {
  if (one.role === 'user' || other.role === 'user') return one.role === other.role;
  return (
    one.error?.name === other.error?.name &&
    one.summary === other.summary &&
    isFinished(one) === isFinished(other)
  );
}

function isFinished({ finish }: AssistantMessage): boolean {
  return finish !== undefined;
}

function areSameParts(some: readonly Part[], others: readonly Part[]): boolean {
  return (
    some.length === others.length && some.every((part, index) => isSamePart(part, others[index]))
  );
}

function isSamePart(part: Part, other: Part | undefined): boolean {
  if (part === other) return true;
  if (other === undefined || part.type === 'tool') return false;
  // What a marker keeps is not sent.
  if (part.type === 'compaction') return other.type === 'compaction' && part.id === other.id;
  const names = Object.keys(part) as (keyof Part)[];
  if (names.length !== Object.keys(other).length) return false;
  for (const name of names) if (part[name] !== other[name]) return false;
  return true;
}
