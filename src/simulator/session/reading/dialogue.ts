import type { FilePart } from '../../../engine/index.ts';
import { createPending, type PendingParts } from './pending.ts';
import type { Tally } from './tally.ts';
import { addStep, type DraftMessage, type DraftPart } from './transcript.ts';

/** A call as a format read it. */
export interface RecordedCall {
  readonly callId?: string | undefined;
  readonly tool: string;
  readonly input: unknown;
}

/** What came back from a call. */
export interface RecordedResult {
  /** The key of its call; absent means the first call of the last step that still waits. */
  readonly key?: string | undefined;
  readonly output: string;
  readonly isError?: boolean;
  readonly attachments?: readonly FilePart[];
}

/** A conversation while it is being read: messages in order, calls that wait for results, texts that wait for a message. */
export interface Dialogue {
  readonly drafts: readonly DraftMessage[];
  addPrompt(prompt: Omit<DraftMessage, 'role'>): void;
  addStep(step: Omit<DraftMessage, 'role'>): DraftMessage;
  /** Adds a call to a step. It waits for its result under its key, which is its id unless given. */
  addCall(step: DraftMessage, call: RecordedCall, key?: string): void;
  /** Gives the newest call of that key its result; false where none waits. */
  finishCall(result: RecordedResult): boolean;
  /** Adds what a program put before the model: in front of the next prompt, or behind the message before. */
  inject(part: string | DraftPart): void;
  /** All messages, when nothing follows any more. */
  end(): readonly DraftMessage[];
}

/** A call, and where its part stands. */
interface OpenCall {
  readonly step: DraftMessage;
  readonly partIndex: number;
  readonly call: RecordedCall;
  readonly key: string | undefined;
}

interface State {
  readonly tally: Tally;
  readonly drafts: DraftMessage[];
  readonly openByKey: Map<string, OpenCall>;
  /** Calls of the last step that wait, for results without a key. */
  latest: OpenCall[];
  readonly pending: PendingParts;
}

/** A conversation without messages. */
export function createDialogue(tally: Tally): Dialogue {
  const drafts: DraftMessage[] = [];
  const pending = createPending(drafts, tally, 'behind');
  const state: State = { tally, drafts, openByKey: new Map(), latest: [], pending };
  return {
    drafts,
    addPrompt: (prompt) => {
      const parts = [...pending.take(), ...prompt.parts];
      drafts.push({ ...prompt, role: 'user', parts });
    },
    addStep: (step) => startStep(state, { ...step, role: 'assistant' }),
    addCall: (step, call, key = call.callId) => openCall(state, { step, call, key }),
    finishCall: (result) => closeCall(state, result),
    inject: (part) => {
      if (typeof part === 'string') pending.inject(part);
      else pending.add(part);
    },
    end: () => {
      pending.place(0);
      return drafts;
    },
  };
}

function startStep(state: State, step: DraftMessage): DraftMessage {
  state.pending.place(step.createdAt);
  addStep(state.drafts, step, state.tally);
  state.latest = [];
  return step;
}

function openCall(state: State, { step, call, key }: Omit<OpenCall, 'partIndex'>): void {
  const { callId, tool, input } = call;
  const open = { step, partIndex: step.parts.length, call, key };
  step.parts.push({ type: 'tool', callId, tool, state: { status: 'running', input } });
  state.latest.push(open);
  if (key !== undefined) state.openByKey.set(key, open);
}

function closeCall(state: State, result: RecordedResult): boolean {
  const { key, output, isError = false, attachments = [] } = result;
  const open = key === undefined ? state.latest[0] : state.openByKey.get(key);
  if (open === undefined) return false;
  const { callId, tool, input } = open.call;
  const completed = {
    status: 'completed' as const,
    input,
    output,
    ...(attachments.length > 0 && { attachments }),
  };
  const toolState = isError ? { status: 'error' as const, input, error: output } : completed;
  open.step.parts[open.partIndex] = { type: 'tool', callId, tool, state: toolState };
  state.latest = state.latest.filter((other) => other !== open);
  if (open.key !== undefined && state.openByKey.get(open.key) === open) {
    state.openByKey.delete(open.key);
  }
  return true;
}
