/**
 * The loop of OpenCode's releases from 1.0.224 to 1.18, written down apart from the engine, after its release history
 * (sections 3 and 5 to 7). What texts say and weigh, and when a usage is over, it takes from the engine. That a turn has ended
 * goes by the order of the view in 1.14.40 as well (case loop-007).
 */

import {
  type AssistantMessage,
  checkOverflow,
  type Limits,
  type LoopInput,
  type Message,
  type MessageError,
  markerOf,
  type Policy,
  type Usage,
  type UserMessage,
} from '../../src/engine/index.ts';
import { continueMessage, replayPrompt } from '../../src/engine/pivot/resume.ts';
import { namesOf } from './drive.ts';
import { marker, summary, text } from './history.ts';
import { type ReleasedTail, tailStart } from './released-tail.ts';
import { type ReleasedView, releasedView } from './released-view.ts';
import { testTools } from './tools.ts';

/** What the releases differ in. */
export interface Release extends ReleasedView, ReleasedTail {
  readonly newestBy: 'position' | 'time';
  readonly onRefusal: 'stop' | 'compact' | 'compact-if-auto';
  /** Whether earlier markers are left out of a summary request together with their summaries. */
  readonly hidesPivots: boolean;
  /** Whether a summary over the limit ends the turn. */
  readonly checksSummaries: boolean;
}

/** What was asked for: a step, or a summary with what it is to answer. */
interface Asked {
  readonly at: number;
  readonly summary?: {
    readonly waiting: UserMessage;
    readonly user: UserMessage;
    readonly replay: UserMessage | undefined;
    readonly tailStartId: string | undefined;
  };
}

/** A session under a release. */
export interface Released {
  readonly policy: Policy;
  readonly release: Release;
  readonly limits: Limits;
  readonly history: Message[];
  /** Requests, summary requests and stops since the newest input. */
  lines: string[];
  asked?: Asked | undefined;
}

const tools = testTools();

/** What follows an input: requests, summary requests and stops, one a line. */
export function take(session: Released, input: LoopInput): readonly string[] {
  session.lines = [];
  const { asked, history } = session;
  if (input.type === 'user-message') history.push(input.message);
  else session.asked = undefined;
  if (input.type === 'user-message' && asked === undefined) loop(session);
  if (input.type === 'compact') queue(session, { auto: false, overflow: false });
  if (input.type === 'step-finished') finishStep(session, input.message, asked);
  if (input.type === 'step-refused') refuse(session);
  if (input.type === 'summary-finished') finishSummary(session, input.result, asked);
  if (input.type === 'summary-failed') failSummary(session, input, asked);
  if (input.type === 'aborted') abort(session, input.message, asked);
  return session.lines;
}

/** Section 7. */
function loop(session: Released): void {
  const { release, history } = session;
  const view = releasedView(history, release);
  const order = release.newestBy === 'time' ? history.filter((one) => view.includes(one)) : view;
  const userAt = order.findLastIndex(({ role }) => role === 'user');
  const user = order[userAt];
  const stepAt = order.findLastIndex(({ role }) => role === 'assistant');
  const finish = finishOf(order[stepAt]);
  const hasEnded = finish !== undefined && finish !== 'tool-calls' && finish !== 'unknown';
  if (user?.role !== 'user' || (hasEnded && userAt < stepAt)) return stop(session);
  const finishedAt = order.findLastIndex((one) => finishOf(one) !== undefined);
  const waiting = order.slice(finishedAt + 1).find((one) => markerOf(one) !== undefined);
  if (waiting?.role === 'user') return summarise(session, { view, waiting, user });
  const finished = order[finishedAt];
  if (finished?.role === 'assistant' && !finished.summary && isOver(session, finished.usage))
    return queue(session, { auto: true, overflow: false });
  session.asked = { at: history.length };
  session.lines.push(`request ${namesOf(view)}`);
}

/** Sections 4 to 6: what a marker leads to. */
function summarise(
  session: Released,
  found: {
    readonly view: readonly Message[];
    readonly waiting: UserMessage;
    readonly user: UserMessage;
  },
): void {
  const { waiting, user } = found;
  const { history, release, policy } = session;
  const { messages, replay } = partForReplay(session, found);
  const isMarkerLast = messages.at(-1) === user && markerOf(user) !== undefined;
  const before = isMarkerLast ? messages.slice(0, -1) : messages;
  const kept = release.hidesPivots ? withoutPairs(before) : before;
  const budget = policy.cut.keep === 'recent-turns' ? (policy.cut.tokens ?? 0) : 0;
  const start = release.turns === 0 ? 0 : tailStart(kept, release, { policy, budget });
  const head = start === 0 ? kept : kept.slice(0, start);
  const tailStartId = start === 0 ? undefined : kept[start]?.id;
  session.asked = { at: history.length, summary: { waiting, user, replay, tailStartId } };
  const shown = isMarkerLast && !release.hidesPivots ? [...head, user] : head;
  const previous = release.hidesPivots ? wordsOf(pairsIn(before).at(-1)) : '';
  session.lines.push(`summarise ${namesOf(shown)} after: ${previous}`);
}

/** What precedes a refused prompt, and that prompt, where anybody asked for something before. */
function partForReplay(
  { policy }: Released,
  { view, waiting, user }: Parameters<typeof summarise>[1],
): { readonly messages: readonly Message[]; readonly replay?: UserMessage } {
  const whole = { messages: view };
  if (!policy.resume.replayRefusedPrompt || !markerOf(waiting)?.overflow) return whole;
  const prompts = view.slice(0, view.indexOf(user)).filter(isPrompt);
  const replay = prompts.at(-1);
  if (replay?.role !== 'user' || prompts.length < 2) return whole;
  return { messages: view.slice(0, view.indexOf(replay)), replay };
}

function pairsIn(messages: readonly Message[]): readonly AssistantMessage[] {
  const markers = new Set(messages.filter((one) => markerOf(one)).map(({ id }) => id));
  return messages.filter(
    (one): one is AssistantMessage =>
      one.role === 'assistant' &&
      one.summary === true &&
      Boolean(one.finish) &&
      one.error === undefined &&
      markers.has(one.parentId),
  );
}

function withoutPairs(messages: readonly Message[]): readonly Message[] {
  const hidden = new Set(pairsIn(messages).flatMap(({ id, parentId }) => [id, parentId]));
  return messages.filter(({ id }) => !hidden.has(id));
}

function finishStep(session: Released, message: AssistantMessage, asked: Asked | undefined): void {
  session.history.splice(asked?.at ?? 0, 0, message);
  if (isOver(session, message.usage)) {
    queue(session, { auto: true, overflow: message.finish === undefined });
  } else if (message.error === undefined) loop(session);
  else stop(session);
}

function refuse(session: Released): void {
  const { onRefusal } = session.release;
  const isAnswered =
    onRefusal === 'compact' || (onRefusal !== 'stop' && session.policy.trigger.auto);
  if (isAnswered) queue(session, { auto: true, overflow: true });
  else stop(session);
}

function finishSummary(
  session: Released,
  result: { readonly text: string; readonly usage?: Usage },
  asked: Asked | undefined,
): void {
  if (asked?.summary === undefined) return;
  const { waiting, user, replay } = asked.summary;
  const { history, release, policy } = session;
  const parts = result.text === '' ? [] : [text(tools.newId('part'), result.text)];
  const { usage } = result;
  history.splice(asked.at, 0, summary(tools.newId('message'), user.id, { parts, usage }));
  storeTail(session, asked);
  const endsTurn = release.checksSummaries && isOver(session, usage);
  const { auto, overflow: afterRefusal = false } = markerOf(waiting) ?? { auto: false };
  if (auto && !endsTurn) {
    const goOn = continueMessage(policy.resume, { afterRefusal, requestOf: () => '' }, tools);
    history.push(...(replay ? [replayPrompt(replay, tools)] : goOn));
  }
  loop(session);
}

function failSummary(
  session: Released,
  { error, isOverflow }: { readonly error: MessageError; readonly isOverflow: boolean },
  asked: Asked | undefined,
): void {
  if (asked?.summary === undefined) return;
  const finish = isOverflow && session.policy.summary.overflowFinishes ? 'error' : undefined;
  const failed = { error, finish, parts: [] };
  session.history.splice(
    asked.at,
    0,
    summary(tools.newId('message'), asked.summary.user.id, failed),
  );
  if (!isOverflow) storeTail(session, asked);
  stop(session);
}

/** Stored on the marker that is answered, of which there is none when an attempt is made again for a prompt. */
function storeTail({ history }: Released, { summary: pending }: Asked): void {
  if (pending?.tailStartId === undefined || markerOf(pending.user) === undefined) return;
  const { user, tailStartId } = pending;
  const parts = user.parts.map((part) => ({ ...part, tailStartId }));
  history[history.indexOf(user)] = { ...user, parts };
}

function abort(session: Released, message: AssistantMessage | undefined, asked: Asked | undefined) {
  const { history } = session;
  if (asked?.summary !== undefined) {
    const error = { name: 'MessageAbortedError', message: 'Aborted' };
    const failed = { error, finish: undefined, parts: [] };
    history.splice(asked.at, 0, summary(tools.newId('message'), asked.summary.user.id, failed));
  } else if (asked !== undefined && message !== undefined) history.splice(asked.at, 0, message);
  stop(session);
}

function queue(session: Released, options: { readonly auto: boolean; readonly overflow: boolean }) {
  session.history.push(marker(tools.newId('message'), options));
  loop(session);
}

function isOver({ policy, limits }: Released, usage: Usage | undefined): boolean {
  const { auto, overflow: rule, outputCapTokens } = policy.trigger;
  if (!auto || usage === undefined) return false;
  return checkOverflow(usage, limits, { rule, outputCapTokens }).isOverflow;
}

function isPrompt(message: Message): boolean {
  return message.role === 'user' && markerOf(message) === undefined;
}

function wordsOf(message: AssistantMessage | undefined): string {
  return message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
}

function finishOf(message: Message | undefined): string | undefined {
  return message?.role === 'assistant' ? message.finish : undefined;
}

function stop(session: Released): void {
  session.lines.push('stop');
}
