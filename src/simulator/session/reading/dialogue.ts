import type { FilePart } from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';
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

/** Injected parts that wait for a message to hold them. */
export interface PendingParts {
  add(part: DraftPart): void;
  /** Adds a text that no person and no model wrote; nothing where it is empty. */
  inject(text: string): void;
  /** Gives what is pending to a message that is about to be made. */
  take(): DraftPart[];
  /** Gives it to the last message: to a step behind; where there is none, to a prompt that is made for it. */
  place(createdAt: number): void;
}

/** Where a prompt that comes last takes what is pending. */
type AtPrompt = 'in-front' | 'behind';

/** A call as far as it tells whether another one of its id is the same, written down twice. */
interface IdentifiedCall {
  readonly name: unknown;
  readonly input: unknown;
}

/** The ids of calls where a provider counts them anew in each step, so that one id stands for several. */
export interface CallIds {
  /** The id of a call; one of its own where another call has the recorded one. */
  ofCall(recorded: string, call: IdentifiedCall): string;
  /** The id of the call that a result belongs to: of those with the recorded id, the newest before it. */
  ofResult(recorded: string): string;
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

/** Nothing pending yet, before these messages. */
export function createPending(
  drafts: DraftMessage[],
  tally: Tally,
  atPrompt: AtPrompt = 'in-front',
): PendingParts {
  let pending: DraftPart[] = [];
  const take = () => {
    const parts = pending;
    pending = [];
    return parts;
  };
  return {
    add: (part) => {
      pending.push(part);
    },
    inject: (text) => {
      if (text !== '') pending.push({ type: 'text', text, synthetic: true });
    },
    take,
    place: (createdAt) => {
      if (pending.length === 0) return;
      const last = drafts.at(-1);
      if (last !== undefined) last.parts = withParts(last, take(), atPrompt);
      else {
        tally.repair('user message made for injected texts');
        drafts.push({ role: 'user', createdAt, parts: take() });
      }
    },
  };
}

/** Ids in a recording that is read from its beginning. */
export function createCallIds(tally: Tally): CallIds {
  const firstCalls = new Map<string, IdentifiedCall>();
  const idsOf = new Map<string, Map<string, string>>();
  const newest = new Map<string, string>();
  const idAmong = (recorded: string, first: IdentifiedCall, call: IdentifiedCall) => {
    const ids = keepIn(idsOf, recorded, () => new Map([[keyOf(first), recorded]]));
    return keepIn(ids, keyOf(call), () => {
      tally.repair('repeated id');
      return `${recorded}-${ids.size + 1}`;
    });
  };
  return {
    ofCall: (recorded, { name, input }) => {
      const call = { name, input };
      const first = firstCalls.get(recorded);
      // Most ids stand for one call, which needs no key.
      if (first === undefined) firstCalls.set(recorded, call);
      const id = first === undefined ? recorded : idAmong(recorded, first, call);
      newest.set(recorded, id);
      return id;
    },
    ofResult: (recorded) => newest.get(recorded) ?? recorded,
  };
}

/** The parts without calls that were made before under the same id; the ids of the others are added to those. */
export function withoutRepeatedCalls(
  parts: readonly DraftPart[],
  calledIds: Set<string>,
  tally: Tally,
): DraftPart[] {
  return parts.filter((part) => {
    if (part.type !== 'tool' || part.callId === undefined) return true;
    const isNew = !calledIds.has(part.callId);
    if (!isNew) tally.drop('repeated tool call');
    calledIds.add(part.callId);
    return isNew;
  });
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

function withParts(
  { role, parts }: DraftMessage,
  pending: readonly DraftPart[],
  atPrompt: AtPrompt,
): DraftPart[] {
  const isInFront = role === 'user' && atPrompt === 'in-front';
  return isInFront ? [...pending, ...parts] : [...parts, ...pending];
}

/** A key that repeated records of one call share. */
function keyOf({ name, input }: IdentifiedCall): string {
  return `${JSON.stringify(name)} ${JSON.stringify(input)}`;
}
