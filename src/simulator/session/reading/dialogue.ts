import type { FilePart } from '../../../engine/index.ts';
import type { Tally } from './tally.ts';
import { addStep, type DraftMessage, type DraftPart } from './transcript.ts';

/** A call as a format read it. */
export interface RecordedCall {
  readonly callId?: string | undefined;
  readonly tool: string;
  readonly input: unknown;
}

/** A tool result as a format read it. */
interface RecordedResult {
  /** The key of its call; absent: the first open call of the last step, of the tool if it names one. */
  readonly key?: string | undefined;
  readonly tool?: string | undefined;
  readonly output: string;
  readonly isError?: boolean;
  readonly attachments?: readonly FilePart[];
}

/** A conversation being read: messages, open calls, and texts without a message yet. */
export interface Dialogue {
  /** All messages so far; the newest may be taken back. */
  readonly drafts: DraftMessage[];
  addPrompt(prompt: Omit<DraftMessage, 'role'>): void;
  addStep(step: Omit<DraftMessage, 'role'>): DraftMessage;
  /** Adds an open call to a step, under its id unless a key is given. */
  addCall(step: DraftMessage, call: RecordedCall, key?: string): void;
  /** Tests if a result with that key would complete a call. */
  hasOpenCall(key: string | undefined): boolean;
  /** Completes the newest open call with that key; false if there is none. */
  finishCall(result: RecordedResult): boolean;
  /** Adds injected content before the next prompt, or behind the last message. */
  inject(part: string | DraftPart): void;
  /** Removes the injected content that waits for a message. */
  takeInjected(): DraftPart[];
  /** All messages, once nothing follows. */
  end(): readonly DraftMessage[];
}

/** An open call with the position of its part. */
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
  /** Open calls of the last step, for results without a key. */
  latest: OpenCall[];
  /** Injected parts that wait for a message to hold them. */
  pending: DraftPart[];
  readonly atPrompt: AtPrompt;
}

/** The side on which a final prompt takes pending parts. */
export type AtPrompt = 'in-front' | 'behind';

/** Creates a conversation without messages. */
export function createDialogue(tally: Tally, atPrompt: AtPrompt = 'behind'): Dialogue {
  const drafts: DraftMessage[] = [];
  const state: State = { tally, drafts, openByKey: new Map(), latest: [], pending: [], atPrompt };
  return {
    drafts,
    addPrompt: (prompt) => {
      const parts = [...takePending(state), ...prompt.parts];
      drafts.push({ ...prompt, role: 'user', parts });
    },
    addStep: (step) => startStep(state, { ...step, role: 'assistant' }),
    addCall: (step, call, key = call.callId) => openCall(state, { step, call, key }),
    hasOpenCall: (key) => findOpen(state, { key }) !== undefined,
    finishCall: (result) => closeCall(state, result),
    inject: (part) => {
      if (typeof part !== 'string') state.pending.push(part);
      else if (part !== '') state.pending.push({ type: 'text', text: part, synthetic: true });
    },
    takeInjected: () => takePending(state),
    end: () => {
      placePending(state, 0);
      return drafts;
    },
  };
}

function takePending(state: State): DraftPart[] {
  const { pending } = state;
  state.pending = [];
  return pending;
}

/** Adds the pending parts to the last message, or to a new prompt if there is none. */
function placePending(state: State, createdAt: number): void {
  const { drafts, tally, pending, atPrompt } = state;
  if (pending.length === 0) return;
  const last = drafts.at(-1);
  const parts = takePending(state);
  if (last !== undefined) last.parts = withParts(last, parts, atPrompt);
  else {
    tally.repair('user message made for injected texts');
    drafts.push({ role: 'user', createdAt, parts });
  }
}

function startStep(state: State, step: DraftMessage): DraftMessage {
  placePending(state, step.createdAt);
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
  const { output, isError = false, attachments = [] } = result;
  const open = findOpen(state, result);
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

function findOpen(
  { openByKey, latest }: State,
  { key, tool }: Pick<RecordedResult, 'key' | 'tool'>,
): OpenCall | undefined {
  if (key !== undefined) return openByKey.get(key);
  return latest.find(({ call }) => tool === undefined || call.tool === tool);
}

function withParts(
  { role, parts }: DraftMessage,
  pending: readonly DraftPart[],
  atPrompt: AtPrompt,
): DraftPart[] {
  const isInFront = role === 'user' && atPrompt === 'in-front';
  return isInFront ? [...pending, ...parts] : [...parts, ...pending];
}
