import type { FilePart } from '../../../engine/index.ts';
import type { RecordedCall } from './dialogue.ts';
import type { Recording } from './recording.ts';
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
  /** Adds a call; one with a known id is left out. */
  addCall(call: RecordedCall & { readonly callId: string }, createdAt: number): void;
  /** Completes a call; the last open call ends the step. */
  finishCall(callId: string, result: StreamResult): void;
  /** Steps since they were taken last. */
  takeSteps(): readonly DraftMessage[];
}

/** The result of a call in a stream. */
interface StreamResult {
  readonly output: string;
  readonly isError: boolean;
  readonly attachments?: readonly FilePart[];
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
    addCall: (call, createdAt) => {
      if (callIds.has(call.callId)) return;
      callIds.add(call.callId);
      openIds.add(call.callId);
      recording.addCall(stepAt(createdAt), call);
    },
    finishCall: (key, result) => {
      recording.addResult(key, result);
      openIds.delete(key);
      if (openIds.size === 0) step = undefined;
    },
    takeSteps: () => {
      const steps = recording.drafts.slice(takenCount).filter(({ role }) => role === 'assistant');
      takenCount = recording.drafts.length;
      return steps;
    },
  };
}
