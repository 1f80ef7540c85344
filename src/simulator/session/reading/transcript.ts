/** Messages of a session while it is read, step by step. */

import type {
  AssistantMessage,
  Message,
  MessageError,
  Part,
  ToolState,
} from '../../../engine/index.ts';
import { type RecordedUsage, withoutMark } from './cache-mark.ts';
import type { EarlyFinish } from './finish.ts';
import { isTooDeep } from '../files/nesting.ts';
import type { Tally } from './tally.ts';

/** A part as a format read it; `finishMessages` gives the ids that are absent or empty. */
export type DraftPart = WithoutIds<Part>;

/** A message as a format reads it, while its parts are still being collected. */
export interface DraftMessage {
  readonly role: 'user' | 'assistant';
  readonly recordedId?: string | undefined;
  /** The recorded id of the user message that a step answers; absent means the one before it. */
  readonly recordedParentId?: string | undefined;
  readonly createdAt: number;
  parts: DraftPart[];
  /** `provider/model` that wrote a step; absent where the recording does not tell. */
  readonly model?: string | undefined;
  /** Why a step was cut off, `null` where its request never ended; absent where it was not, or nothing says. */
  finish?: EarlyFinish | null | undefined;
  readonly error?: MessageError | undefined;
  usage?: RecordedUsage | undefined;
}

type WithoutIds<AnyPart> = AnyPart extends { readonly type: 'tool' }
  ? Omit<AnyPart, 'id' | 'callId'> & {
      readonly id?: string | undefined;
      readonly callId?: string | undefined;
    }
  : AnyPart extends Part
    ? Omit<AnyPart, 'id'> & { readonly id?: string | undefined }
    : never;

interface Finishing {
  readonly tally: Tally;
  /** Messages, parts and attached files share one set of ids. */
  readonly entries: ClaimId;
  readonly calls: ClaimId;
}

/** The id itself, or a new one like it where it is taken; an empty one is none. */
type ClaimId = (recorded: string | undefined, fallback: string) => string;

/** Adds a step, with an empty user message before it where the session would begin with the step. */
export function addStep(drafts: DraftMessage[], step: DraftMessage, tally: Tally): void {
  if (drafts.length === 0) {
    tally.repair('session begins with a step');
    drafts.push({ role: 'user', createdAt: step.createdAt, parts: [] });
  }
  drafts.push(step);
}

/** `provider/model` of the first step that names one. */
export function modelOf(drafts: readonly DraftMessage[]): string | undefined {
  return drafts.find(({ model }) => model !== undefined)?.model;
}

/** The messages of a session: ids unique, each step with its user message and the finish that the recording shows. */
export function finishMessages(drafts: readonly DraftMessage[], tally: Tally): readonly Message[] {
  const ids = { tally, entries: createClaim(tally), calls: createClaim(tally) };
  const sessionModel = modelOf(drafts);
  const userIds = new Set<string>();
  let parentId = '';
  return drafts.map((draft, index) => {
    const id = ids.entries(draft.recordedId, `message-${index + 1}`);
    const base = { id, createdAt: draft.createdAt, parts: finishParts(draft, id, ids) };
    if (draft.role === 'user') {
      userIds.add(id);
      parentId = id;
      return { ...base, role: 'user' };
    }
    const recorded = draft.recordedParentId;
    return {
      ...base,
      role: 'assistant',
      parentId: recorded !== undefined && userIds.has(recorded) ? recorded : parentId,
      ...finishOf(draft, drafts[index + 1]),
      ...outcomeOf(draft),
      ...modelBeside(draft, sessionModel),
    };
  });
}

/** A step that another one follows led on to it, whatever is told of its end. Only a session that breaks off ends with an open request. */
function finishOf(
  { finish }: DraftMessage,
  next: DraftMessage | undefined,
): Pick<AssistantMessage, 'finish'> {
  if (next?.role === 'assistant') return { finish: 'tool-calls' };
  if (finish === null && next === undefined) return {};
  return { finish: finish ?? 'stop' };
}

function outcomeOf({ error, usage }: DraftMessage): Pick<AssistantMessage, 'error' | 'usage'> {
  return { ...(error && { error }), ...(usage && { usage: withoutMark(usage) }) };
}

/** The session names its model once; steps name only another one. */
function modelBeside(
  { model }: DraftMessage,
  sessionModel: string | undefined,
): Pick<AssistantMessage, 'model'> {
  return model === undefined || model === sessionModel ? {} : { model };
}

function finishParts(draft: DraftMessage, messageId: string, ids: Finishing): readonly Part[] {
  return draft.parts.map((part, index) => {
    const id = ids.entries(part.id, `${messageId}-${index + 1}`);
    if (part.type !== 'tool') return { ...part, id };
    const state = withoutDepths(finishState(part.state, id, ids), ids);
    return { ...part, id, callId: ids.calls(part.callId, `${id}-call`), state };
  });
}

function finishState(state: ToolState, partId: string, ids: Finishing): ToolState {
  if (state.status !== 'completed' || state.attachments === undefined) return state;
  const attachments = state.attachments.map((file, index) => ({
    ...file,
    id: ids.entries(file.id, `${partId}-file-${index + 1}`),
  }));
  return { ...state, attachments };
}

function withoutDepths(state: ToolState, { tally }: Finishing): ToolState {
  if (!isTooDeep(state.input)) return state;
  tally.repair('tool input that is too deep');
  return { ...state, input: {} };
}

function createClaim(tally: Tally): ClaimId {
  const taken = new Set<string>();
  const copies = new Map<string, number>();
  return (recorded, fallback) => {
    const wanted = recorded || fallback;
    let id = wanted;
    while (taken.has(id)) {
      const copy = (copies.get(wanted) ?? 1) + 1;
      copies.set(wanted, copy);
      id = `${wanted}-${copy}`;
    }
    if (id !== wanted && recorded) tally.repair('repeated id');
    taken.add(id);
    return id;
  };
}
