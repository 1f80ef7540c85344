import { estimateMessages, estimateText } from '../estimate.ts';
import { summaryFault } from '../guards.ts';
import { toArray } from '../history.ts';
import { readLatestSteps } from '../latest.ts';
import { isPrompt, isSummary, markerOf, type Message, type UserMessage } from '../message.ts';
import { overflowRules } from '../overflow.ts';
import type { AskAgainPolicy, Policy } from '../policy.ts';
import { missesHeadings, REMINDER } from '../prompts.ts';
import {
  changeState,
  type Cut,
  type EngineEvent,
  historyOf,
  type LoopState,
  type Summarising,
  type SummaryRequest,
  type SummaryResult,
  type Tools,
  WAITING,
} from '../state.ts';
import type { Limits } from '../usable.ts';
import { viewUnder } from '../view.ts';
import { type Pending, planCut } from './cut.ts';
import {
  applySummary,
  failPivot,
  keepOrRollBack,
  type PivotStep,
  rejectSummary,
  type SummaryEnd,
  type SummaryFailure,
} from './end-pivot.ts';
import { shortenOutputs } from './flatten.ts';
import { rereadFiles, unansweredFrom } from './resume.ts';
import {
  buildSummaryRequest,
  failedSummary,
  headMessages,
  previousSummaryOf,
  shownMessages,
} from './summary.ts';

interface Attempt extends Partial<Summarising> {
  readonly because: (EngineEvent & { type: 'summary-repeated' })['because'];
}

interface SmallerHead {
  readonly head: readonly Message[];
  /** Later chunks, each to be folded into the summary of those before. */
  readonly rest: readonly (readonly Message[])[];
  /** Only the chunk that was asked about was divided; chunks after it stay. */
  readonly isHalf?: boolean;
}

type Rung = (head: readonly Message[], policy: Policy, targetTokens: number) => SmallerHead;

const SHORT_OUTPUT_CHARS = 2_000;
/** Share of a refused request that is taken to fit. Source: Kimi Code. */
const REFUSED_SHARE = 0.85;
/** Share of a window that a request may fill by a rough estimate. */
const TARGET_SHARE = 0.5;
const cutOutputs: Rung = (head, policy) => ({ head: shorten(head, policy), rest: [] });

/** The newest messages that fit, after their prompt. A marker alone is nothing to sum up. */
const dropOldest: Rung = (head, policy, targetTokens) => {
  const short = shorten(head, policy);
  const [newest = [], before = []] = chunkBy(short.toReversed(), policy, targetTokens);
  const isMarkerAlone = newest.every((message) => markerOf(message) !== undefined);
  const start = short.length - newest.length - (isMarkerAlone ? before.length : 0);
  const prompt = short.slice(0, start).findLast((message) => isPrompt(message));
  const isOpened = short[start]?.role === 'user';
  return { head: [...(prompt && !isOpened ? [prompt] : []), ...short.slice(start)], rest: [] };
};

const foldChunks: Rung = (head, policy, targetTokens) => {
  const short = shorten(shownMessages(head, policy.summary), policy);
  const [first = [], ...rest] = chunkBy(short, policy, targetTokens / 2);
  return { head: first, rest };
};

const LADDER: readonly Rung[] = [cutOutputs, dropOldest, foldChunks];

/** Works off a pending marker. */
export function startPivot(
  state: LoopState,
  pending: {
    readonly view: readonly Message[];
    readonly marker: UserMessage;
    readonly lastUser: UserMessage;
    /** The loop goes on meanwhile, and the marker is in no history. */
    readonly isBeside?: boolean;
  },
  tools: Tools,
): { readonly phase: Summarising; readonly request: SummaryRequest } {
  const { policy, limits } = state;
  const { view, marker, lastUser, isBeside = false } = pending;
  const parentId = policy.summary.answers === 'marker' ? marker.id : lastUser.id;
  const isAfterRefusal = markerOf(marker)?.overflow === true;
  const { replayRefusedPrompt, replaysAlone } = policy.resume;
  const isUnanswered = !readLatestSteps(historyOf(state)).isAnswered;
  const mayReplay = replayRefusedPrompt && (replaysAlone ? isUnanswered : isAfterRefusal);
  const pendingCut = { view, parentId, mayReplay, isAfterRefusal };
  const planned = planCut(pendingCut, policy, limits);
  const { rereads } = policy.resume;
  const files = rereads === undefined ? '' : rereadFiles(state.history, rereads, policy);
  const cut = files === '' ? planned : { ...planned, recent: files };
  const asked = firstAsked(cut, pendingCut, state);
  const isWhole = !isAfterRefusal && asked.length >= cut.head.length;
  const isLater = view.findLastIndex(isSummary) > view.findLastIndex(isPrompt);
  const wholeForm = isLater ? policy.summary.laterForm : undefined;
  const phase: Summarising = {
    state: 'summarising',
    insertAt: historyOf(state).length,
    markerId: marker.id,
    parentId,
    cut,
    previousSummary: previousSummaryOf(view, policy.summary),
    form: isWhole ? wholeForm : (policy.summary.refusedForm ?? wholeForm),
    ...divideTurn(cut, asked, policy),
    rung: 0,
    isReminded: false,
    isAfterRefusal,
    emptyAnswers: 0,
    ...(isBeside && { marker }),
  };
  return { phase, request: requestFor(state, phase, tools) };
}

/** Works off what the summarizer answered. */
export function stepPivot(
  state: LoopState,
  phase: Summarising,
  { input, tools }: { readonly input: SummaryEnd; readonly tools: Tools },
): PivotStep {
  const again =
    askAgain(phase, input, state.policy) ??
    (input.type === 'summary-failed'
      ? smallerAttempt(state, phase, input)
      : furtherAttempt(state, phase, input.result));
  if (again !== undefined) {
    const { because, ...changes } = again;
    const next = { ...phase, ...changes };
    const event = { type: 'summary-repeated', markerId: phase.markerId, because } as const;
    return { state: 'asks-again', phase: next, request: requestFor(state, next, tools), event };
  }
  if (input.type === 'summary-failed') return endWithout(state, phase, { input, tools });
  const { said = [] } = phase;
  const result = { ...input.result, text: [...said, input.result.text].join('\n\n') };
  const reason = faultOf(state, phase, result);
  if (reason !== undefined) return rejectSummary(state, phase, reason);
  return phase.marker === undefined
    ? applySummary(state, phase, { result, tools })
    : {
        state: 'held',
        next: changeState(state, { background: { phase, result, steps: 0 }, phase: WAITING }),
      };
}

/** The state after an aborted attempt. */
export function abortPivot(state: LoopState, phase: Summarising, tools: Tools): LoopState {
  const error = { name: 'MessageAbortedError', message: 'Aborted' };
  const failed = failedSummary({ error, isFinished: false }, phase.parentId, tools);
  return changeState(state, { history: keepOrRollBack(state, phase, failed), phase: WAITING });
}

/** The next smaller form of a head whose request was too large. */
export function shrinkHead(
  head: readonly Message[],
  rung: number,
  context: { readonly policy: Policy; readonly limits: Limits; readonly asked: readonly Message[] },
): (SmallerHead & { readonly rung: number }) | undefined {
  const step = LADDER[rung];
  if (step === undefined) return undefined;
  const { policy, limits, asked } = context;
  const sentTokens = weighSent(asked, policy);
  const windowTokens = limits.inputTokens || limits.contextTokens || sentTokens;
  const smaller = step(head, policy, Math.min(sentTokens, windowTokens) * TARGET_SHARE);
  const isSmaller = weighSent(smaller.head, policy) < sentTokens;
  return isSmaller ? { ...smaller, rung: rung + 1 } : shrinkHead(head, rung + 1, context);
}

/** The last resort: one chunk in two, down to single messages. */
export function halveChunk(
  asked: readonly Message[],
  rung: number,
  { summary }: Policy,
): (SmallerHead & { readonly rung: number }) | undefined {
  const shown = shownMessages(asked, summary);
  if (shown.length < 2) return undefined;
  const middle = Math.ceil(shown.length / 2);
  return { head: shown.slice(0, middle), rest: [shown.slice(middle)], isHalf: true, rung };
}

/** The end of an attempt whose summary failed, by a text of the policy's own where it has one. */
function endWithout(
  state: LoopState,
  phase: Summarising,
  failed: { readonly input: SummaryFailure; readonly tools: Tools },
): PivotStep {
  const { fallback } = state.policy.summary;
  if (fallback === undefined) return failPivot(state, phase, failed);
  const view = toArray(viewUnder(historyOf(state), state.policy));
  const pending = { view, parentId: phase.parentId, mayReplay: false, isAfterRefusal: true };
  const result = { text: fallback.text, finish: 'stop' };
  const shorter = { ...phase, cut: planCut(pending, state.policy, state.limits) };
  return applySummary(state, shorter, { result, tools: failed.tools });
}

function firstAsked({ head }: Cut, { view, isAfterRefusal }: Pending, state: LoopState) {
  const { policy, limits, overheadTokens } = state;
  const { askedShare, readsKept } = policy.summary;
  const unanswered = unansweredFrom(view);
  const answered = unanswered < 0 ? view : view.slice(0, unanswered);
  let read = readsKept === 'all' ? view : head;
  // After a refusal the head may hold prompts, too.
  if (readsKept === 'steps' && head.length < answered.length) read = answered;
  if (askedShare === undefined) return read;
  const refusedTokens = REFUSED_SHARE * (overheadTokens + estimateMessages(view, policy));
  const mostTokens = isAfterRefusal ? refusedTokens : Number.POSITIVE_INFINITY;
  const windowTokens = Math.min(limits.contextTokens || mostTokens, mostTokens);
  const newest = newestWithin(read, askedShare * windowTokens - overheadTokens, policy);
  return newest.length === 0 ? read : newest;
}

/** A marker alone is nothing to sum up. */
function newestWithin(messages: readonly Message[], tokens: number, policy: Policy) {
  let roomTokens = tokens;
  const cut = messages.findLastIndex((message) => {
    roomTokens -= estimateMessages([message], policy);
    return roomTokens < 0;
  });
  const newest = messages.slice(cut + 1);
  return newest.every((message) => markerOf(message) !== undefined) ? [] : newest;
}

function divideTurn({ head, tailStartId }: Cut, asked: readonly Message[], { summary }: Policy) {
  const start = head.findLastIndex((message) => isPrompt(message));
  const isSplit = summary.splitTurnApart && tailStartId !== undefined && start > 0;
  if (!isSplit || shownMessages(head.slice(0, start), summary).length === 0)
    return { asked, rest: [] };
  return { asked: head.slice(0, start), rest: [head.slice(start)] };
}

function requestFor({ policy }: LoopState, phase: Summarising, tools: Tools): SummaryRequest {
  const { form, asked: head, previousSummary, isReminded } = phase;
  const input = { form, head, previousSummary, reminder: isReminded ? REMINDER : undefined };
  return buildSummaryRequest(input, policy.summary, tools.hooks);
}

function askAgain(phase: Summarising, input: SummaryEnd, policy: Policy): Attempt | undefined {
  const rules = policy.summary.asksAgain;
  if (rules === undefined) return undefined;
  const { asked, cut, rung } = phase;
  const { form = phase.form } = rules;
  const isFailed = input.type === 'summary-failed';
  const emptyAnswers = phase.emptyAnswers + 1;
  const isRepeated = rules.drops === 'nothing' && rules.form !== undefined && phase.form;
  const mayDrop = isFailed && input.isOverflow && rules.refusedDrops !== undefined;
  if (!mayDrop && (isRepeated || emptyAnswers + rung >= rules.attempts)) return undefined;
  if (isFailed && input.isOverflow && rules.drops !== 'newest')
    return askWithShare({ ...phase, form }, rules, policy);
  const isNothing = isFailed || input.result.text.trim() === '';
  const gaveNothing = isFailed ? rules.afterErrors || input.isOverflow : isNothing;
  if (!gaveNothing) return undefined;
  const again = { because: 'gave-nothing', emptyAnswers, form } as const;
  if (rules.drops === 'nothing') return again;
  if (asked.length < 2) return undefined;
  const isOwn = emptyAnswers > 1 && emptyAnswers <= 1 + (rules.reminders ?? 0);
  if (rules.drops === 'oldest') return { ...again, asked: isOwn ? asked : asked.slice(1) };
  const newest = asked.findLast((message) => markerOf(message) === undefined);
  if (newest === undefined) return again;
  const head = asked.slice(0, asked.indexOf(newest));
  return { ...again, asked: head, cut: { ...cut, head, tailStartId: newest.id } };
}

function askWithShare(
  { asked, rung, form }: Summarising,
  { refusedShares = [], refusedDrops }: AskAgainPolicy,
  policy: Policy,
): Attempt | undefined {
  if (refusedDrops !== undefined) {
    const left = rung < refusedDrops ? asked : withoutOldest(shownMessages(asked, policy.summary));
    return left && { because: 'too-large', asked: left, rung: rung + 1, form };
  }
  const share = refusedShares[rung];
  if (share === undefined) return undefined;
  const newest = newestWithin(asked, share * estimateMessages(asked, policy), policy);
  if (newest.length === 0) return undefined;
  return { because: 'too-large', asked: newest, rung: rung + 1, form };
}

/** A prompt, a thought, a text, or a call with its result is one. Source: runs of Codex 0.171. */
function withoutOldest([first, ...rest]: readonly Message[]): readonly Message[] | undefined {
  if (first === undefined) return undefined;
  const parts = first.role === 'user' ? [] : first.parts.slice(1);
  return parts.length === 0 ? rest : [{ ...first, parts }, ...rest];
}

function smallerAttempt(
  { policy, limits }: LoopState,
  phase: Summarising,
  input: SummaryFailure,
): Attempt | undefined {
  const { refusedChunks } = policy.summary;
  if (input.isOverflow && refusedChunks !== undefined && phase.rung === 0) {
    const { usableShare, form } = refusedChunks;
    const usableTokens = overflowRules[policy.trigger.overflow].usable(limits, policy.trigger);
    const [asked = [], ...rest] = chunkBy(phase.cut.head, policy, usableShare * usableTokens);
    return { because: 'too-large', asked, rest: [...rest, []], rung: 1, form };
  }
  if (!input.isOverflow || !policy.guards.shrinkSummaryRequest) return undefined;
  const smaller =
    shrinkHead(phase.cut.head, phase.rung, { policy, limits, asked: phase.asked }) ??
    halveChunk(phase.asked, phase.rung, policy);
  if (smaller === undefined) return undefined;
  const { head: asked, rung } = smaller;
  const rest = smaller.isHalf ? [...smaller.rest, ...phase.rest] : smaller.rest;
  return { because: 'too-large', asked, rest, rung };
}

function furtherAttempt(
  state: LoopState,
  phase: Summarising,
  result: SummaryResult,
): Attempt | undefined {
  const { guards, summary } = state.policy;
  const [asked, ...rest] = phase.rest;
  if (asked !== undefined) {
    const before =
      summary.splitTurnApart && phase.rung === 0
        ? { previousSummary: undefined, said: [result.text] }
        : { previousSummary: result.text || phase.previousSummary };
    const isMerge = summary.refusedChunks !== undefined && asked.length === 0;
    return { because: 'next-chunk', asked, rest, ...before, ...(isMerge && { form: undefined }) };
  }
  if (!guards.remindMissingHeadings || phase.isReminded) return undefined;
  if (faultOf(state, phase, result) !== undefined) return undefined;
  if (!missesHeadings(result.text, summary.instruction)) return undefined;
  return { because: 'no-headings', isReminded: true };
}

function faultOf({ policy }: LoopState, phase: Summarising, result: SummaryResult) {
  if (phase.isReminded && missesHeadings(result.text, policy.summary.instruction))
    return 'the summary has none of the headings that were asked for, also after a reminder';
  const { outputCapTokens } = policy.summary;
  const { head } = phase.cut;
  const openingTokens = policy.cut.keep === 'pending' ? policy.cut.openingTokens : undefined;
  const sizesOf = () => ({
    summaryTokens: estimateText(result.text, policy),
    headTokens: estimateMessages(head, policy) + (head.some(isSummary) ? 0 : (openingTokens ?? 0)),
  });
  return summaryFault(policy.guards, result, { outputCapTokens, sizesOf });
}

function weighSent(head: readonly Message[], policy: Policy): number {
  return estimateMessages(headMessages(head, policy.summary), policy);
}

/** Outputs that the policy cuts as short anyway are left to it. */
function shorten(head: readonly Message[], { summary }: Policy): readonly Message[] {
  const { toolOutputChars = Infinity } = summary;
  return toolOutputChars <= SHORT_OUTPUT_CHARS ? head : shortenOutputs(head, SHORT_OUTPUT_CHARS);
}

function chunkBy(
  messages: readonly Message[],
  policy: Policy,
  tokens: number,
): readonly (readonly Message[])[] {
  const chunks: Message[][] = [];
  let roomTokens = 0;
  for (const message of messages) {
    const size = weighSent([message], policy);
    if (chunks.length === 0 || size > roomTokens) {
      chunks.push([]);
      roomTokens = tokens;
    }
    chunks.at(-1)?.push(message);
    roomTokens -= size;
  }
  return chunks;
}
