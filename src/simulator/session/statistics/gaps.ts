import type { Message } from '../../../engine/index.ts';
import { MS_PER_SECOND } from '../../lib/units.ts';
import type { GapSample } from './sample.ts';

/** How long it took from message to message; a time that is unknown, or runs backwards, tells nothing. */
export function sampleGaps(messages: readonly Message[]): GapSample {
  const gaps = messages.slice(1).flatMap((message, index) => {
    const before = messages[index];
    if (before === undefined || before.createdAt <= 0) return [];
    const seconds = (message.createdAt - before.createdAt) / MS_PER_SECOND;
    return message.createdAt <= 0 || seconds < 0 ? [] : [{ before, message, seconds }];
  });
  const secondsOf = (isWanted: (gap: (typeof gaps)[number]) => boolean) =>
    gaps.filter(isWanted).map(({ seconds }) => seconds);
  return {
    beforeUser: secondsOf(({ message }) => message.role === 'user'),
    model: secondsOf(({ before, message }) => isStep(message) && !isStep(before)),
    toolsAndModel: secondsOf(
      ({ before, message }) => isStep(message) && isStep(before) && hasCalls(before),
    ),
  };
}

function isStep({ role }: Message): boolean {
  return role === 'assistant';
}

function hasCalls({ parts }: Message): boolean {
  return parts.some(({ type }) => type === 'tool');
}
