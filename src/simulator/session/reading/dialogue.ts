import type { FilePart, ToolState } from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';
import { type DraftPart, type Tally, toId } from './fields.ts';
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

/** A tool result with the fields that recorders have for it. */
export interface ToldResult {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly content?: unknown;
  /** The text that the model got, where it is not that of the content. */
  readonly output?: string | undefined;
  readonly isError?: unknown;
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

/** Creates the calls of a recording; the first or the last of several results holds. */
export function createCalls(
  {
    tally,
    addCall,
    readResult,
  }: {
    readonly tally: Tally;
    readonly addCall: (step: DraftMessage, call: RecordedCall) => void;
    readonly readResult: (result: ToldResult) => void;
  },
  holding: 'first' | 'last' = 'first',
) {
  const ids = createCallIds(tally);
  const calledIds = new Set<string>();
  const answeredIds = new Set<string>();
  const pending = new Map<string, ToldResult>();
  const complete = (id: string) => {
    const result = pending.get(id);
    if (result === undefined || holding === 'last' || !calledIds.has(id)) return;
    pending.delete(id);
    readResult(result);
  };
  return {
    /** Adds a call to a step; a repeated one is counted. */
    add: (step: DraftMessage, { callId, tool, input }: RecordedCall) => {
      const id = callId && ids.ofCall(callId, { name: tool, input });
      if (id !== undefined && calledIds.has(id)) return tally.drop('repeated tool call');
      addCall(step, { callId: id, tool, input });
      if (id === undefined) return;
      calledIds.add(id);
      complete(id);
    },
    /** Notes a result of a call; a repeated one is counted. */
    finish: (result: ToldResult) => {
      const recorded = toId(result.id);
      if (recorded === undefined) return tally.drop('tool result without a call');
      const id = ids.ofResult(recorded);
      const isRepeated = answeredIds.has(id);
      if (isRepeated) tally.drop('repeated tool result');
      if (!isRepeated || holding === 'last') pending.set(id, { ...result, id });
      answeredIds.add(id);
      complete(id);
    },
    hasResult: (id: unknown) => answeredIds.has(ids.ofResult(toId(id) ?? '')),
    /** Completes the calls, once nothing follows; results without a call are counted. */
    end: () => {
      for (const result of pending.values()) readResult(result);
    },
  };
}

/** Creates unique call ids for providers that restart their ids in each step. */
export function createCallIds(tally: Tally) {
  type Call = Readonly<Record<'name' | 'input', unknown>>;
  const keyOf = ({ name, input }: Call) => JSON.stringify([name, input]);
  const firstCalls = new Map<string, Call>();
  const idsOf = new Map<string, Map<string, string>>();
  const newest = new Map<string, string>();
  return {
    /** The recorded id, or a new one if another call has it. */
    ofCall: (recorded: string, call: Call) => {
      const first = firstCalls.get(recorded);
      let id = recorded;
      // Most ids stand for one call, which needs no key.
      if (first === undefined) firstCalls.set(recorded, call);
      else {
        const ids = keepIn(idsOf, recorded, () => new Map([[keyOf(first), recorded]]));
        id = keepIn(ids, keyOf(call), () => {
          tally.repair('repeated id');
          return `${recorded}-${ids.size + 1}`;
        });
      }
      newest.set(recorded, id);
      return id;
    },
    /** The id of the newest call with the recorded id. */
    ofResult: (recorded: string) => newest.get(recorded) ?? recorded,
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
