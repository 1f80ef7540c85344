import type { FilePart } from '../../../engine/index.ts';
import { createDialogue, type RecordedCall } from './dialogue.ts';
import type { Tally } from './tally.ts';
import type { DraftMessage, DraftPart } from './transcript.ts';

/** A conversation read from a stream of pieces, in which nothing tells where a step ends. */
export interface StepStream {
  readonly drafts: readonly DraftMessage[];
  /** The step that the next piece belongs to; absent if that piece begins one. */
  openStep(): DraftMessage | undefined;
  addPrompt(prompt: Omit<DraftMessage, 'role'>): void;
  /** Adds a part to the open step, or begins one. */
  write(part: DraftPart, origin: StepOrigin): void;
  /** Adds a call; one with a known id is left out. */
  addCall(call: RecordedCall & { readonly callId: string }, origin: StepOrigin): void;
  /** Completes a call; the last open call ends the step. */
  finishCall(callId: string, result: StreamResult): void;
  end(): readonly DraftMessage[];
}

/** The fields of a step that its first piece tells. */
type StepOrigin = Pick<DraftMessage, 'createdAt' | 'recordedId' | 'model'>;

/** The result of a call in a stream. */
interface StreamResult {
  readonly output: string;
  readonly isError: boolean;
  readonly attachments?: readonly FilePart[];
}

/** Creates a stream without messages. */
export function createStepStream(tally: Tally): StepStream {
  const dialogue = createDialogue(tally);
  const callIds = new Set<string>();
  const openIds = new Set<string>();
  let step: DraftMessage | undefined;
  const stepFor = (origin: StepOrigin) => {
    step ??= dialogue.addStep({ ...origin, parts: [] });
    return step;
  };
  return {
    drafts: dialogue.drafts,
    openStep: () => step,
    addPrompt: (prompt) => {
      step = undefined;
      openIds.clear();
      dialogue.addPrompt(prompt);
    },
    write: (part, origin) => {
      stepFor(origin).parts.push(part);
    },
    addCall: (call, origin) => {
      if (callIds.has(call.callId)) return;
      callIds.add(call.callId);
      openIds.add(call.callId);
      dialogue.addCall(stepFor(origin), call);
    },
    finishCall: (key, result) => {
      if (!dialogue.finishCall({ key, ...result })) tally.drop('tool result without a call');
      openIds.delete(key);
      if (openIds.size === 0) step = undefined;
    },
    end: () => dialogue.end(),
  };
}
