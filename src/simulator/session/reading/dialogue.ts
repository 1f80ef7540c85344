import type { FilePart, ToolState } from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';
import type { DraftPart, Tally } from './fields.ts';
import { addStep, type DraftMessage } from './transcript.ts';

/** A call as a format read it. */
export interface RecordedCall {
  readonly callId?: string | undefined;
  readonly tool: string;
  readonly input: unknown;
}

/** A tool result as a format read it. */
export interface RecordedResult {
  /** The key of its call; absent: the first open call of the last step, of the tool if it names one. */
  readonly key?: string | undefined;
  readonly tool?: string | undefined;
  readonly output: string;
  readonly isError?: boolean;
  readonly attachments?: readonly FilePart[];
}

interface OpenCall {
  readonly step: DraftMessage;
  readonly partIndex: number;
  readonly call: RecordedCall;
  readonly key: string | undefined;
  isDone?: true;
}

/** The side on which a final prompt takes pending parts. */
export type AtPrompt = 'in-front' | 'behind';

/** Creates a conversation without messages. */
export function createDialogue(tally: Tally, atPrompt: AtPrompt = 'behind') {
  const drafts: DraftMessage[] = [];
  const openByKey = new Map<string, OpenCall>();
  // Calls of the last step by their tools and all together, for results without a key; the first that may be open.
  const latest = new Map<string | undefined, { readonly calls: OpenCall[]; first: number }>();
  const { inject, takeInjected, placeInjected } = createInjected(drafts, tally, atPrompt);
  const findOpen = ({ key, tool }: Pick<RecordedResult, 'key' | 'tool'>) => {
    if (key !== undefined) return openByKey.get(key);
    const queue = latest.get(tool);
    while (queue?.calls[queue.first]?.isDone) queue.first += 1;
    return queue?.calls[queue.first];
  };
  return {
    drafts,
    addPrompt: (prompt: Omit<DraftMessage, 'role'>) => {
      const parts = [...takeInjected(), ...prompt.parts];
      drafts.push({ ...prompt, role: 'user', parts });
    },
    addStep: (told: Omit<DraftMessage, 'role'>) => {
      const step: DraftMessage = { ...told, role: 'assistant' };
      placeInjected(step.createdAt);
      addStep(drafts, step, tally);
      latest.clear();
      return step;
    },
    /** Adds an open call to a step, under its id unless a key is given. */
    addCall: (step: DraftMessage, call: RecordedCall, key = call.callId) => {
      const open: OpenCall = { step, partIndex: step.parts.length, call, key };
      const { callId, tool, input } = call;
      step.parts.push({ type: 'tool', callId, tool, state: { status: 'running', input } });
      for (const name of [undefined, tool])
        keepIn(latest, name, () => ({ calls: [], first: 0 })).calls.push(open);
      if (key !== undefined) openByKey.set(key, open);
    },
    /** Tests if a result with that key would complete a call. */
    hasOpenCall: (key: string | undefined) => findOpen({ key }) !== undefined,
    /** Completes the newest open call with that key; false if there is none. */
    finishCall: (result: RecordedResult) => {
      const open = findOpen(result);
      if (open === undefined) return false;
      const { callId, tool, input } = open.call;
      const state = stateOf(result, input);
      open.step.parts[open.partIndex] = { type: 'tool', callId, tool, state };
      open.isDone = true;
      if (openByKey.get(open.key ?? '') === open) openByKey.delete(open.key ?? '');
      return true;
    },
    inject,
    takeInjected,
    end: (): readonly DraftMessage[] => {
      placeInjected(0);
      return drafts;
    },
  };
}

/** Creates the parts that wait for a message to hold them; the last one does, or a new prompt if there is none. */
function createInjected(drafts: DraftMessage[], tally: Tally, atPrompt: AtPrompt) {
  let pending: DraftPart[] = [];
  const takeInjected = () => {
    const parts = pending;
    pending = [];
    return parts;
  };
  return {
    takeInjected,
    /** Adds injected content before the next prompt, or behind the last message. */
    inject: (part: string | DraftPart) => {
      if (typeof part !== 'string') pending.push(part);
      else if (part !== '') pending.push({ type: 'text', text: part, synthetic: true });
    },
    placeInjected: (createdAt: number) => {
      const last = drafts.at(-1);
      if (pending.length === 0) return;
      const parts = takeInjected();
      if (last === undefined) {
        tally.repair('user message made for injected texts');
        drafts.push({ role: 'user', createdAt, parts });
      } else if (last.role === 'user' && atPrompt === 'in-front') {
        last.parts = [...parts, ...last.parts];
      } else last.parts = [...last.parts, ...parts];
    },
  };
}

function stateOf(result: RecordedResult, input: unknown): ToolState {
  const { output, isError = false, attachments = [] } = result;
  if (isError) return { status: 'error', input, error: output };
  return { status: 'completed', input, output, ...(attachments.length > 0 && { attachments }) };
}
