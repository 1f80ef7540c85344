import type { Message, MessageError, Part, ToolState, Usage } from '../../../engine/index.ts';
import { known } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { quotedLong } from '../../lib/names.ts';
import { isTooDeep } from '../files/source-file.ts';
import type { RecordedCost, RecordedWindow, Session, SideSessionLink } from '../session.ts';
import type { Tally } from './tally.ts';

/** A part as a format reads it; `finishMessages` fills missing and empty ids. */
export type DraftPart = WithoutIds<Part>;

/** A message as a format reads it, while its parts are collected. */
export interface DraftMessage {
  readonly role: 'user' | 'assistant';
  readonly recordedId?: string | undefined;
  /** The recorded id of the answered user message; absent: the one before. */
  readonly recordedParentId?: string | undefined;
  readonly createdAt: number;
  parts: DraftPart[];
  /** `provider/model` of a step; absent if it is not recorded. */
  readonly model?: string | undefined;
  /** Why a step was cut off; `null` if its request never ended; absent if it was not, or it is unknown. */
  finish?: EarlyFinish | null | undefined;
  error?: MessageError | undefined;
  usage?: RecordedUsage | undefined;
  readonly cost?: RecordedCost | undefined;
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

/** Returns the id, or a similar one if it is taken; an empty one counts as absent. */
type ClaimId = (recorded: string | undefined, fallback: string) => string;

type EarlyFinish = 'length' | 'content-filter';

/** A recorded usage, marked where cache reads are unknown. */
export interface RecordedUsage extends Usage {
  readonly isCacheUnknown?: true;
}

/** Recorder ids of the sessions that answered a call; `undefined` if unknown. */
export type FindSideIds = (part: DraftPart) => readonly string[] | undefined;

/** Fields of which each may be unknown. */
export type Found<Fields> = { readonly [Key in keyof Fields]?: Fields[Key] | undefined };

/** The reason for an empty prompt before the first step. */
export const BEGINS_WITH_STEP = 'session begins with a step';

const EARLY_FINISHES: ReadonlyMap<string | undefined, EarlyFinish> = new Map([
  ['content-filter', 'content-filter'],
  ['content_filter', 'content-filter'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content-filter'],
]);

/** Adds a step, after an empty user message if the session would begin with it. */
export function addStep(drafts: DraftMessage[], step: DraftMessage, tally: Tally): void {
  if (drafts.length === 0) {
    tally.repair(BEGINS_WITH_STEP);
    drafts.push({ role: 'user', createdAt: step.createdAt, parts: [] });
  }
  drafts.push(step);
}

/** Builds messages with unique ids, the parent and the finish of each step. */
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
    const { recordedParentId: recorded, usage, error, model } = draft;
    const told = known({
      finish: finishOf(draft, drafts[index + 1]),
      error,
      usage: usage && withoutMark(usage),
      model: model === sessionModel ? undefined : model,
    });
    const isKnown = recorded !== undefined && userIds.has(recorded);
    return { ...base, role: 'assistant', parentId: isKnown ? recorded : parentId, ...told };
  });
}

/** The reason why an answer was cut off; `undefined` if it was not, or it is unknown. */
export function toEarlyFinish(reason: string | undefined): EarlyFinish | undefined {
  return EARLY_FINISHES.get(reason);
}

/** The messages, model, costs and import report of a session; `otherwise` is the model where no step names one. */
export function finishSession(
  drafts: readonly DraftMessage[],
  tally: Tally,
  otherwise?: string,
): Pick<Session, 'model' | 'messages' | 'isCacheUnknown' | 'recordedCosts' | 'report'> {
  const model = modelOf(drafts) ?? otherwise;
  const messages = finishMessages(drafts, tally);
  const recordedCosts = new Map<string, RecordedCost>();
  for (const [index, { id }] of messages.entries()) {
    const cost = drafts[index]?.cost;
    if (cost !== undefined) recordedCosts.set(id, cost);
  }
  // A provider may omit a zero in single requests.
  const usages = drafts.flatMap(({ usage }) => usage ?? []);
  const isCacheUnknown = usages.length > 0 && usages.every((usage) => usage.isCacheUnknown);
  return {
    ...(model !== undefined && { model }),
    messages,
    ...(isCacheUnknown && { isCacheUnknown }),
    report: tally.toReport(),
    ...(recordedCosts.size > 0 && { recordedCosts }),
  };
}

/** The error for a recording without messages; `got` names its content. */
export function noConversation(name: string, got: string): HarnessError {
  const message = `Expected ${quotedLong(name)} to hold a conversation, got ${got}.`;
  return new HarnessError('BAD_SESSION', message);
}

/** Sessions with messages; throws if there is none, and `got` names the content. */
export function withMessages(
  sessions: readonly Session[],
  name: string,
  got: string,
): readonly Session[] {
  const spoken = sessions.filter(({ messages }) => messages.length > 0);
  if (spoken.length === 0) throw noConversation(name, got);
  return spoken;
}

/** The count without a mark. */
export function withoutMark({ isCacheUnknown: _mark, ...usage }: RecordedUsage): Usage {
  return usage;
}

/** Windows as they were stated, in order, each only where it changes; of two at one message the later one holds. Absent if there are none. */
export function toRecordedWindows(
  stated: readonly { readonly messageIndex: number; readonly contextTokens: number | undefined }[],
): readonly RecordedWindow[] | undefined {
  const windows: RecordedWindow[] = [];
  for (const { messageIndex, contextTokens } of stated) {
    if (contextTokens === undefined || contextTokens <= 0) continue;
    if (windows.at(-1)?.messageIndex === messageIndex) windows.pop();
    if (windows.at(-1)?.contextTokens === contextTokens) continue;
    windows.push({ messageIndex, contextTokens });
  }
  return windows.length > 0 ? windows : undefined;
}

/** Links to sub-agent sessions in the order of the calls. */
export function linksOf(
  drafts: readonly DraftMessage[],
  messages: readonly Message[],
  findSideIds: FindSideIds,
): readonly SideSessionLink[] {
  return messages.flatMap(({ parts }, index) =>
    parts.flatMap((part, partIndex) => {
      const draft = drafts[index]?.parts[partIndex];
      if (part.type !== 'tool' || draft === undefined) return [];
      const { callId } = part;
      return [...new Set(findSideIds(draft))].map((sessionId) => ({ callId, sessionId }));
    }),
  );
}

/** Finds sessions by call id. */
export function findByCallId(sideIds: ReadonlyMap<string, readonly string[]>): FindSideIds {
  return (part) => (part.type === 'tool' ? sideIds.get(part.callId ?? '') : undefined);
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

/** `provider/model` of most steps that name one; the first of equals. */
function modelOf(drafts: readonly DraftMessage[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { model } of drafts) {
    if (model !== undefined) counts.set(model, (counts.get(model) ?? 0) + 1);
  }
  const most = Math.max(...counts.values());
  return [...counts.keys()].find((model) => counts.get(model) === most);
}

function finishParts(draft: DraftMessage, messageId: string, ids: Finishing): readonly Part[] {
  return draft.parts.map((part, index) => {
    const id = ids.entries(part.id, `${messageId}-${index + 1}`);
    if (part.type !== 'tool') return { ...part, id };
    const state = withoutDepths(finishState(part.state, id, ids), ids);
    return { ...part, id, callId: ids.calls(part.callId, `${id}-call`), state };
  });
}

function withoutDepths(state: ToolState, { tally }: Finishing): ToolState {
  if (!isTooDeep(state.input)) return state;
  tally.repair('tool input that is too deep');
  return { ...state, input: {} };
}

function finishState(state: ToolState, partId: string, ids: Finishing): ToolState {
  if (state.status !== 'completed' || state.attachments === undefined) return state;
  const attachments = state.attachments.map((file, index) => ({
    ...file,
    id: ids.entries(file.id, `${partId}-file-${index + 1}`),
  }));
  return { ...state, attachments };
}

/** The finish of a step: `tool-calls` if a step follows, absent for an open request at the end. */
function finishOf({ finish }: DraftMessage, next: DraftMessage | undefined): string | undefined {
  if (next?.role === 'assistant') return 'tool-calls';
  if (finish === null && next === undefined) return undefined;
  return finish ?? 'stop';
}
