import { type Fields, toId } from './lenient.ts';
import type { Recording, ToldResult } from './recording.ts';
import type { DraftMessage, DraftPart } from './transcript.ts';

/** A recording read from a stream of pieces, in which nothing tells where a step ends. */
export interface StepStream {
  /** The step that the next piece belongs to; absent if that piece begins one. */
  openStep(): DraftMessage | undefined;
  /** Adds a prompt, which ends the step. */
  addPrompt(prompt: Omit<DraftMessage, 'role'>): void;
  /** Adds a part to the open step, or begins one. */
  write(part: DraftPart, createdAt: number): void;
  /** Goes on with the last part of the open step, if it is of the same type. */
  extend(part: { readonly type: 'text' | 'reasoning'; readonly text: string }, at: number): void;
  /** Adds a call; one with a known id is left out, and one without an id counted. */
  readCall(call: Fields, createdAt: number): void;
  /** Completes a call; the last open call ends the step. */
  readResult(result: ToldResult): void;
  takeSteps(): readonly DraftMessage[];
}

/** Creates a stream into a recording. */
export function createStepStream(recording: Recording): StepStream {
  const callIds = new Set<string>();
  const openIds = new Set<string>();
  let step: DraftMessage | undefined;
  let takenCount = 0;
  const stepAt = (createdAt: number) => {
    step ??= recording.addStep({ createdAt, parts: [] });
    return step;
  };
  return {
    openStep: () => step,
    addPrompt: (prompt) => {
      step = undefined;
      openIds.clear();
      recording.addPrompt(prompt);
    },
    write: (part, createdAt) => {
      stepAt(createdAt).parts.push(part);
    },
    extend: (part, createdAt) => {
      const { parts } = stepAt(createdAt);
      const last = parts.at(-1);
      if (last?.type !== part.type) parts.push(part);
      else parts[parts.length - 1] = { ...last, text: last.text + part.text };
    },
    readCall: (call, createdAt) => {
      const id = toId(call['id']);
      if (id === undefined) recording.tally.drop('tool call without an id');
      else if (!callIds.has(id)) {
        callIds.add(id);
        openIds.add(id);
        recording.readCall(stepAt(createdAt), call);
      }
    },
    readResult: (result) => {
      const id = toId(result.id);
      if (id === undefined) return recording.tally.drop('tool result without a call');
      recording.readResult(result);
      openIds.delete(id);
      if (openIds.size === 0) step = undefined;
    },
    takeSteps: () => {
      const steps = recording.drafts.slice(takenCount).filter(({ role }) => role === 'assistant');
      takenCount = recording.drafts.length;
      return steps;
    },
  };
}
