import {
  composeErrorMessage,
  knowsOverflow,
  type ProviderError,
  type SummaryRequest,
  type UserMessage,
} from '../../engine/index.ts';
import { expectForm } from '../../engine/internal.ts';
import type { CacheSplit } from '../provider/cache/prompt.ts';
import type { Failure } from '../scenario/fault.ts';
import type { CallRecord, FailedAnswer, SummaryAnswer } from '../summarizer/summarizer.ts';
import { answerForm } from './caller-forms.ts';
import { describeFailure, errorOf, failRequest } from './failure.ts';
import { feed } from './feed.ts';
import type { WholePrompt } from './sent-prompt.ts';
import { type Running, type Stage, tellOut } from './running.ts';

/** What a summary request came to. */
export type SummaryOutcome =
  | {
      readonly state: 'answered';
      readonly text: string;
      readonly finish: string;
      readonly split: CacheSplit;
      /** Tokens that the model was given. */
      readonly keptTokens: number;
      /** What the call took, where the summarizer tells. */
      readonly call?: CallRecord | undefined;
    }
  | {
      readonly state: 'failed';
      readonly reason: string;
      /** Whether the policy knows the failure for a request that was too large. */
      readonly isOverflow: boolean;
      readonly isAborted: boolean;
    };

/** A summary request, and how it is sent. */
export interface AskedSummary {
  readonly request: SummaryRequest;
  readonly prompt: WholePrompt;
}

/** A request that was sent once: what it came to, and a failure that the policy's client still has to deal with. */
interface Sent {
  readonly outcome: SummaryOutcome;
  readonly failure?: Failure | undefined;
}

/** Sends a summary request, with whatever befalls it; one that is told to wait is sent again. */
export function* askForSummary(
  running: Running,
  asked: AskedSummary,
  nth = 1,
): Stage<SummaryOutcome> {
  const { failure, prompts } = running.faults.nextSummary();
  for (const text of prompts) interrupt(running, text);
  const sent: Sent =
    failure === undefined
      ? yield* send(running, asked)
      : { outcome: failedBy(running, failure), failure };
  if (sent.failure === undefined) return sent.outcome;
  const isSentAgain = failRequest(running, { of: 'summary', failure: sent.failure, nth });
  return isSentAgain ? yield* askForSummary(running, asked, nth + 1) : sent.outcome;
}

/** A prompt that comes in while the summary is being written. */
function interrupt(running: Running, text: string): void {
  const id = running.env.newId('interrupting');
  const message: UserMessage = {
    id,
    role: 'user',
    createdAt: running.env.now(),
    parts: [{ type: 'text', id: `${id}-0`, text }],
  };
  feed(running, { type: 'user-message', message });
}

function* send(running: Running, { request, prompt }: AskedSummary): Stage<Sent> {
  const { summaryService, env } = running;
  const { whole, bytes } = prompt;
  const sent = { prompt, tokens: whole.tokens, bytes, fault: undefined };
  const reply = summaryService.send(sent, env.now());
  if (reply.type === 'malformed') return { outcome: failed(reply.fault, {}) };
  if (reply.type === 'refused') return { outcome: refused(running, reply.error) };
  yield* tellOut(running);
  const given = yield { type: 'ask', request };
  const answer = expectForm('summarizer.summarise()', given, answerForm) as SummaryAnswer;
  env.advanceTo(env.now() + (answer.call?.latencyMs ?? 0));
  if (answer.state === 'failed') return failedAnswer(running, answer);
  const { text, finish, call } = answer;
  const { split, keptTokens } = reply;
  return { outcome: { state: 'answered', text, finish, split, keptTokens, call } };
}

/** A failure after several tries is final: a client made them already. */
function failedAnswer(running: Running, answer: FailedAnswer): Sent {
  const { reason, isOverflow, failure, error, tries } = answer;
  const isAborted = failure?.type === 'abort';
  const outcome =
    error === undefined ? failed(reason, { isOverflow, isAborted }) : refused(running, error);
  return { outcome, failure: tries === undefined ? failure : undefined };
}

function refused({ state }: Running, error: ProviderError): SummaryOutcome {
  return failed(composeErrorMessage(error), { isOverflow: knowsOverflow(state.policy, error) });
}

function failedBy(running: Running, failure: Failure): SummaryOutcome {
  if (failure.type === 'overflow')
    return refused(running, errorOf(failure, running.summaryService));
  return failed(describeFailure(failure), { isAborted: failure.type === 'abort' });
}

function failed(
  reason: string,
  { isOverflow = false, isAborted = false }: { isOverflow?: boolean; isAborted?: boolean },
): SummaryOutcome {
  return { state: 'failed', reason, isOverflow, isAborted };
}
