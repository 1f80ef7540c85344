import type { Message, ToolPart } from '../message.ts';

/** What a prune pass decided, before anything is changed. */
export interface PrunePlan {
  /** `below-minimum` names parts that a larger saving would have cleared. */
  readonly state: 'fire' | 'below-minimum' | 'nothing';
  /** Chosen parts, newest first. */
  readonly partIds: readonly string[];
  /** What the policy believes they weigh. */
  readonly estimatedTokens: number;
}

/** Marks the outputs of a firing plan as cleared. Stored output is kept; other plans change nothing. */
export function applyPrune(
  messages: readonly Message[],
  plan: PrunePlan,
  now: number,
): readonly Message[] {
  if (plan.state !== 'fire') return messages;
  const partIds = new Set(plan.partIds);
  return messages.map((message) =>
    message.parts.some((part) => partIds.has(part.id))
      ? clearParts(message, partIds, now)
      : message,
  );
}

function clearParts(message: Message, partIds: ReadonlySet<string>, now: number): Message {
  const parts = message.parts.map((part) =>
    part.type === 'tool' && partIds.has(part.id) ? clearOutput(part, now) : part,
  );
  return { ...message, parts };
}

function clearOutput(part: ToolPart, now: number): ToolPart {
  if (part.state.status !== 'completed') return part;
  return { ...part, state: { ...part.state, compactedAt: now } };
}

/** Replaces the stored outputs of a firing plan by a sentence; what they said is gone. Source: design document 001. */
export function overwriteOutputs(
  messages: readonly Message[],
  plan: PrunePlan,
  sentence: string,
): readonly Message[] {
  if (plan.state !== 'fire') return messages;
  const partIds = new Set(plan.partIds);
  return messages.map((message) => {
    if (!message.parts.some((part) => partIds.has(part.id))) return message;
    const parts = message.parts.map((part) =>
      part.type === 'tool' && partIds.has(part.id) && part.state.status === 'completed'
        ? { ...part, state: { ...part.state, output: sentence } }
        : part,
    );
    return { ...message, parts };
  });
}
