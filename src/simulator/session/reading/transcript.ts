import type { Message, MessageError, Part, ToolState, Usage } from '../../../engine/index.ts';
import { known, sum } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { quotedLong } from '../../lib/names.ts';
import { isTooDeep, toJsonText } from '../files/source-file.ts';
import type { FormatSession } from '../format.ts';
import * as sessions from '../session.ts';
import { atLeastZero, type DraftPart, type Tally, toTokens, valueAt } from './fields.ts';

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
  sealedTokens?: number | undefined;
  readonly cost?: sessions.RecordedCost | undefined;
}

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

type Kind = 'input' | 'output' | 'reasoning' | 'cacheRead' | 'cacheWrite';

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

const WRITTEN: ReadonlySet<Kind> = new Set(['output', 'reasoning']);
/** Characters of a token where only the growth of a context is estimated. */
const CHARS_PER_TOKEN = 4;

/** The names that recorders and providers have for the kinds of tokens, surest first. */
const NAMES: Readonly<Record<Kind, string>> = {
  input:
    'input_tokens prompt_tokens inputTokens promptTokens tokens.prompt tokensIn inputOther input',
  output:
    'output_tokens completion_tokens outputTokens completionTokens tokens.completion tokensOut output',
  reasoning:
    'completion_tokens_details.reasoning_tokens output_tokens_details.reasoning_tokens output_token_details.reasoning outputTokenDetails.reasoningTokens extra.reasoning_tokens reasoning_tokens reasoning_output_tokens reasoningTokens reasoning.output_tokens tokens.completion_details.reasoning reasoning',
  cacheRead:
    'prompt_tokens_details.cached_tokens input_tokens_details.cached_tokens input_token_details.cache_read inputTokenDetails.cacheReadTokens tokens.cached cache.read cache_read_input_tokens cached_input_tokens input_tokens_cache_read cacheReadTokens cachedInputTokens cacheReads inputCacheRead cached_tokens cached cacheRead cache_read.input_tokens cache_read_tokens tokens.prompt_details.cache_read',
  cacheWrite:
    'input_token_details.cache_creation inputTokenDetails.cacheWriteTokens extra.cache_creation_input_tokens cache.write cache_creation_input_tokens cache_write_input_tokens input_tokens_cache_write cacheWriteTokens cacheWrites inputCacheCreation cacheWrite cache_creation.input_tokens cache_write.input_tokens tokens.prompt_details.cache_write',
};

const TOTAL = 'total_tokens totalTokens tokens.total totalTokenCount total';

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
    const { recordedParentId: recorded, usage, error, model, sealedTokens } = draft;
    const told = known({
      finish: finishOf(draft, drafts[index + 1]),
      error,
      usage: usage && withoutMark(usage),
      model: model === sessionModel ? undefined : model,
      sealedTokens,
    });
    const isKnown = recorded !== undefined && userIds.has(recorded);
    return { ...base, role: 'assistant', parentId: isKnown ? recorded : parentId, ...told };
  });
}

/** The reason why an answer was cut off; absent if it was not, or it is unknown. */
export function toEarlyFinish(reason: string | undefined): EarlyFinish | undefined {
  return EARLY_FINISHES.get(reason);
}

/** The messages, model (`otherwise` where no step names one), costs and report of a session. */
export function finishSession(drafts: readonly DraftMessage[], tally: Tally, otherwise?: string) {
  const model = modelOf(drafts) ?? otherwise;
  const messages = finishMessages(drafts, tally);
  const recordedCosts = new Map<string, sessions.RecordedCost>();
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
export function withMessages(sessions: readonly FormatSession[], name: string, got: string) {
  const spoken = sessions.filter(({ messages }) => messages.length > 0);
  if (spoken.length === 0) throw noConversation(name, got);
  return spoken;
}

/** The count without a mark. */
export function withoutMark({ isCacheUnknown: _mark, ...usage }: RecordedUsage): Usage {
  return usage;
}

/** Stated windows, each only where it changes; of two at one message the later one holds. */
export function toRecordedWindows(
  stated: readonly { readonly messageIndex: number; readonly contextTokens: number | undefined }[],
): readonly sessions.RecordedWindow[] | undefined {
  const windows: sessions.RecordedWindow[] = [];
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
): readonly sessions.SideSessionLink[] {
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

/** Splits a count whose input includes cached tokens, and whose output includes reasoning; unknown as in `countKinds`. */
export function splitCount(recorded: unknown): RecordedUsage | undefined {
  const usage = splitOutput(recorded);
  return usage && { ...usage, input: withoutPart(usage.input, usage.cacheRead + usage.cacheWrite) };
}

/** Splits a count whose output alone includes another kind: reasoning. */
export function splitOutput(recorded: unknown): RecordedUsage | undefined {
  const usage = countKinds(recorded);
  return usage && { ...usage, output: withoutPart(usage.output, usage.reasoning) };
}

/** Recorded tokens by kind, and the provider's own sum; what is unknown is absent. */
export function countsIn(recorded: unknown) {
  const tokensAt = (names: string) => toTokens(valueAt(recorded, names));
  return { ...byKind((kind) => tokensAt(NAMES[kind])), total: tokensAt(TOTAL) };
}

/**
 * Shares the usage of several requests out among their steps, whose output tokens may be known. Sums stay exact; each context is the one
 * before with what its step added.
 */
export function shareUsage(
  total: RecordedUsage,
  steps: readonly DraftMessage[],
  { tally, outputs }: { readonly tally: Tally; readonly outputs?: readonly number[] },
): void {
  if (steps.length > 1) tally.repair('usage shared out among requests', steps.length);
  const told = outputs ?? steps.map(({ parts }) => sum(parts.map(charsWritten)));
  const written = told.map((one) => Math.max(0, one));
  const output = shares(total.output, written);
  const mark = known({ isCacheUnknown: total.isCacheUnknown });
  const contexts = contextsOf(total, steps, output);
  const kinds = byKind((kind) => shares(total[kind], WRITTEN.has(kind) ? written : contexts));
  for (const [index, step] of steps.entries())
    step.usage = { ...mark, ...byKind((kind) => kinds[kind][index] ?? 0) };
}

/** The usage of a step; unknown without an input, or if all kinds are zero, which no real request has. */
export function countKinds(recorded: unknown): RecordedUsage | undefined {
  const counts = countsIn(recorded);
  if (counts.input === undefined) return undefined;
  const usage = byKind((kind) => atLeastZero(counts[kind]));
  if (Object.values(usage).every((tokens) => tokens === 0)) return undefined;
  const total = counts.total && atLeastZero(counts.total);
  const isCacheUnknown = counts.cacheRead === undefined ? true : undefined;
  return { ...usage, ...known({ total: total || undefined, isCacheUnknown }) };
}

/** Characters that a model wrote in a part. */
export function charsWritten(part: DraftPart): number {
  if (part.type === 'text' || part.type === 'reasoning') return part.text.length;
  return part.type === 'tool' ? toJsonText(part.state.input).length : 0;
}

/** A larger part means that the whole excludes it. */
function withoutPart(whole: number, part: number): number {
  return whole < part ? whole : whole - part;
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

function byKind<Value>(valueOf: (kind: Kind) => Value): Record<Kind, Value> {
  return {
    input: valueOf('input'),
    output: valueOf('output'),
    reasoning: valueOf('reasoning'),
    cacheRead: valueOf('cacheRead'),
    cacheWrite: valueOf('cacheWrite'),
  };
}

function contextsOf(
  total: RecordedUsage,
  steps: readonly DraftMessage[],
  outputs: readonly number[],
): readonly number[] {
  let grown = 0;
  const growths = steps.map(({ parts }, index) => {
    const before = grown;
    grown += (outputs[index] ?? 0) + sum(parts.map(charsReturned)) / CHARS_PER_TOKEN;
    return before;
  });
  const rest = sessions.contextTokensOf(total) - sum(growths);
  return growths.map((growth) => growth + Math.max(0, rest / steps.length));
}

function shares(total: number, weights: readonly number[]): readonly number[] {
  const whole = sum(weights);
  let part = 0;
  return weights.map((weight) => {
    const start = Math.round(total * part);
    part += whole > 0 ? weight / whole : 1 / weights.length;
    return Math.round(total * part) - start;
  });
}

function charsReturned(part: DraftPart): number {
  if (part.type !== 'tool') return 0;
  const { state } = part;
  if (state.status === 'error') return state.error.length;
  return state.status === 'completed' ? state.output.length : 0;
}
