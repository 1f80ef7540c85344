import type { OpencodeMessage, OpencodePart } from './record.ts';

const CONTENT_TYPES = new Set<string | undefined>(['text', 'reasoning', 'tool', 'file']);

/** Whether a part is of a type that somebody says, or gives, something with. */
export function isContent({ type }: OpencodePart): boolean {
  return CONTENT_TYPES.has(type);
}

/**
 * A message as one of each request: up to 1.0.68, a message held all requests up to the next prompt. What it says of its
 * end, and what it counts, is of the last.
 */
export function stepsOf({ info, parts }: OpencodeMessage): readonly OpencodeMessage[] {
  const steps = splitSteps(parts);
  let created = info.time?.created;
  return steps.map((own, index) => {
    if (index > 0) created = startOf(own) ?? created;
    const isLast = index === steps.length - 1;
    const ended = isLast ? {} : { finish: undefined, error: undefined, tokens: undefined };
    const time = info.time && { ...info.time, created };
    return { info: { ...info, ...ended, id: stepId(info.id, index), time }, parts: own };
  });
}

/** A step ends where a mark says so, if more is said behind it. */
function splitSteps(parts: readonly OpencodePart[]): readonly (readonly OpencodePart[])[] {
  const lastIndex = parts.findLastIndex(isContent);
  const ends = parts.flatMap(({ type }, index) =>
    type === 'step-finish' && index < lastIndex ? [index + 1] : [],
  );
  const bounds = [0, ...ends, parts.length];
  return bounds.slice(1).map((end, index) => parts.slice(bounds[index], end));
}

/** When the first part began that tells, in ms. */
function startOf(parts: readonly OpencodePart[]): number | undefined {
  return parts.flatMap((part) => part.time?.start ?? part.state?.time?.start ?? [])[0];
}

function stepId(messageId: string | undefined, index: number): string | undefined {
  return messageId === undefined || index === 0 ? messageId : `${messageId}-step-${index + 1}`;
}
