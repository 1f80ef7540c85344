import type { AssistantMessage, Part } from '../../../engine/index.ts';
import { sum } from '../../lib/collections.ts';
import { argumentsOf } from '../call-texts.ts';
import { contextTokensOf, type RecordedCompaction, type Session } from '../session.ts';
import type { StepSample } from './sample.ts';

/** A step, and where its message stands. */
export interface PlacedStep {
  readonly message: AssistantMessage;
  readonly index: number;
}

/** What was recorded of the steps of a session. */
export function sampleSteps(session: Session): readonly StepSample[] {
  const steps = stepsOf(session);
  return steps.map(({ message, index }, position) => {
    const { usage, parts } = message;
    const before = steps[position - 1];
    return {
      toolCalls: parts.filter(({ type }) => type === 'tool').length,
      writtenCharacters: sum(parts.map(charactersOf)),
      contextTokens: usage && contextTokensOf(usage),
      cacheReadTokens: session.isCacheUnknown ? undefined : usage?.cacheRead,
      growthTokens: before && growthBetween(before, { message, index }, session),
      outputTokens: usage && session.isOutputFinal ? usage.output + usage.reasoning : undefined,
    };
  });
}

/** The steps of a session in order. */
export function stepsOf({ messages }: Session): readonly PlacedStep[] {
  return messages.flatMap((message, index) =>
    message.role === 'assistant' ? [{ message, index }] : [],
  );
}

/** By how much the recorded context grew from one step to the next; absent where nothing tells. */
export function growthBetween(
  from: PlacedStep,
  to: PlacedStep,
  { recordedCompactions }: Session,
): number | undefined {
  const [before, after] = [from.message.usage, to.message.usage];
  const isCut = recordedCompactions.some(
    (compaction) => compaction.kind === 'full' && liesBetween(compaction, from, to),
  );
  if (isCut || before === undefined || after === undefined) return undefined;
  return contextTokensOf(after) - contextTokensOf(before);
}

/** Whether a compaction happened after one step and before the next. */
export function liesBetween(
  { messageIndex }: RecordedCompaction,
  from: PlacedStep,
  to: PlacedStep,
): boolean {
  return messageIndex > from.index && messageIndex <= to.index;
}

function charactersOf(part: Part): number {
  if (part.type === 'tool') return argumentsOf(part).length;
  return part.type === 'text' || part.type === 'reasoning' ? part.text.length : 0;
}
