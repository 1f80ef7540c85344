/** What a program without types, or with wrong ones, is told of what it hands to a replay. */

import {
  checkAmount,
  checkLimits,
  checkMessage,
  checkPolicy,
  checkUsage,
} from '../../engine/index.ts';
import { describeValue } from '../scenario/file/describe-issue.ts';
import type { Session } from '../session/session.ts';
import type { SummaryAnswer } from '../summarizer/summarizer.ts';
import type { CompileOptions } from './compile.ts';
import type { ForeignOptions } from './foreign/running-foreign.ts';
import type { AsyncRunOptions } from './run-trace.ts';
import type { SimulateOptions } from './simulate.ts';
import type { Trace } from './trace.ts';

/** Throws a `TypeError` at what is no session, or one whose first message is not the user's. */
export function checkSession(session: Session): void {
  const { messages, recordedCompactions } = session ?? {};
  expected(Array.isArray(messages), '`session.messages` to be a list', messages);
  const isList = Array.isArray(recordedCompactions);
  expected(isList, '`session.recordedCompactions` to be a list', recordedCompactions);
  messages.forEach((message, index) => checkMessage(`session.messages[${index}]`, message));
  const [first] = messages;
  if (first === undefined) return;
  // A step without a turn would be left out.
  expected(first.role === 'user', "`session.messages[0].role` to be 'user'", first.role);
}

/** Throws a `TypeError` where nothing can be counted. */
export function checkCompileOptions(options: CompileOptions): void {
  const { tokenizer, count, overheadTokens } = options ?? {};
  expected(typeof tokenizer === 'string', '`options.tokenizer` to be a text', tokenizer);
  expected(typeof count === 'function', '`options.count` to be a function', typeof count);
  if (overheadTokens !== undefined) checkAmount('options.overheadTokens', overheadTokens);
}

/** Throws a `TypeError` at what no run can be made of. */
export function checkRun(trace: Trace, options: AsyncRunOptions): void {
  checkReplayed(trace, options);
  const { policy, summarizer, mode } = options;
  checkPolicy('options.policy', policy);
  const isOne = typeof summarizer?.name === 'string' && typeof summarizer.summarise === 'function';
  expected(isOne, '`options.summarizer` to be one, such as `findSummarizer` gives', summarizer);
  const isMode = mode === undefined || mode === 'open-loop' || mode === 'closed-loop';
  expected(isMode, "`options.mode` to be 'open-loop' or 'closed-loop'", mode);
}

/** The same for somebody's own compaction. */
export function checkForeignRun(trace: Trace, options: ForeignOptions): void {
  checkReplayed(trace, options);
  const { compactor } = options;
  expected(typeof compactor === 'function', '`options.compactor` to be a function', compactor);
}

function checkReplayed(trace: Trace, options: Pick<SimulateOptions, 'model' | 'seed'>): void {
  expected(Array.isArray(trace?.turns), '`trace` to be what `compileSession` gives', trace);
  const { model, seed } = options ?? {};
  const isModel = typeof model?.behaviour === 'object';
  expected(isModel, '`options.model` to be a model, such as `findModel` gives', model);
  checkLimits('options.model.limits', model.limits);
  checkLimits('options.model.trueLimits', model.trueLimits);
  expected(Number.isSafeInteger(seed), '`options.seed` to be a whole number', seed);
}

/** Throws a `TypeError` at what a summarizer may not answer. */
export function checkAnswer(answer: SummaryAnswer): void {
  const { state } = answer;
  const isState = state === 'finished' || state === 'failed';
  expected(isState, "`answer.state` of the summarizer to be 'finished' or 'failed'", state);
  if (state === 'finished') {
    expected(typeof answer.text === 'string', '`answer.text` to be a text', answer.text);
    expected(typeof answer.finish === 'string', '`answer.finish` to be a text', answer.finish);
  } else {
    const { reason, isOverflow } = answer;
    expected(typeof reason === 'string', '`answer.reason` to be a text', reason);
    expected(
      typeof isOverflow === 'boolean',
      '`answer.isOverflow` to be true or false',
      isOverflow,
    );
  }
  if (answer.call?.usage !== undefined) checkUsage('answer.call.usage', answer.call.usage);
}

/** `what` says which value is to be what. */
function expected(holds: boolean, what: string, got: unknown): asserts holds {
  if (!holds) throw new TypeError(`Expected ${what}, got ${describeValue(got)}.`);
}
