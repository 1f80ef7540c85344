/** What values from outside have to be before they are replayed; programs without types, or with wrong ones, are told what is not. */

import {
  being,
  both,
  callable,
  fields,
  finite,
  flag,
  having,
  kindOf,
  list,
  listOf,
  messageForm,
  oneOf,
  optional,
  policyForm,
  text,
  tokens,
  usageForm,
  userForm,
  whole,
  withKeys,
} from '../../engine/internal.ts';
import type { Evidence, RunMode, TokenScale } from '../events.ts';
import { profileForm } from '../provider/model-profile.ts';
import type { Session } from '../session/session.ts';
import type {
  AnySummarizer,
  CallRecord,
  FailedAnswer,
  FinishedAnswer,
  SummaryAnswer,
} from '../summarizer/summarizer.ts';
import type { CompileOptions } from './compile.ts';
import type { CountText } from './count.ts';
import { faultForm } from './faults.ts';
import type { ForeignOptions } from './foreign/run-foreign.ts';
import type { AsyncRunOptions } from './run-trace.ts';

/** A session; steps before the first prompt would be in no turn, and left out. */
export const sessionForm = having<Session>({
  messages: listOf(messageForm, userForm),
  recordedCompactions: list,
});

/** Asked once, for one that waits would be told of as a count that is none. */
const counter = both(callable, (count) => {
  const fault = tokens((count as CountText)('a'));
  return fault && { ...fault, path: '()' };
});

const factor = being(
  'a finite number above 0',
  (value) => Number.isFinite(value) && (value as number) > 0,
);

/** What a session is counted with, and nothing else. */
export const compileOptionsForm = fields<CompileOptions>({
  tokenizer: text,
  tokenizerEvidence: oneOf<Evidence>({ measured: true, estimated: true }),
  count: counter,
  overheadTokens: optional(tokens),
  scale: optional(fields<TokenScale>({ factor, perMessageTokens: tokens })),
});

/** A session that is ready to be replayed. */
export const traceForm = withKeys('what `compileSession` gives', 'turns', 'basis', 'references');

const summarizer = both(
  withKeys('a summarizer, such as `findSummarizer` gives', 'name', 'summarise'),
  having<AnySummarizer>({ name: text, summarise: callable }),
);

const seed = being('a whole number', Number.isSafeInteger);

/** What a run is made of besides a policy, for one or for many. */
export const surroundings = {
  model: profileForm,
  summaryModel: optional(profileForm),
  summarizer,
  seed,
  mode: optional(oneOf<RunMode>({ 'open-loop': true, 'closed-loop': true })),
};

const faults = optional(listOf(faultForm));

/** What tells that nobody waits any more. */
export const signal = optional(withKeys('the signal of an `AbortController`', 'aborted', 'reason'));

/** What a run is made of, and nothing else: an option of another name would be one that was never given. */
export const runForm = fields<AsyncRunOptions>({
  policy: policyForm,
  ...surroundings,
  maxSteps: optional(whole),
  faults,
  findModel: optional(callable),
  isBlind: optional(flag),
  onTransition: optional(callable),
  signal,
  repeat: optional(whole),
});

/** What a run of somebody's own compaction is made of, and nothing else. */
export const foreignRunForm = fields<ForeignOptions>({
  compactor: callable,
  name: text,
  model: profileForm,
  seed,
  env: withKeys('what `createEnv` gives', 'now', 'newId'),
  faults,
  onMessages: optional(callable),
});

const call = optional(
  having<CallRecord>({ usage: optional(usageForm), latencyMs: optional(finite) }),
);

/** What a summarizer may answer. */
export const answerForm = both(
  being('no promise unless `isAsync` is true', isNoPromise),
  kindOf<SummaryAnswer['state']>('state', {
    finished: having<FinishedAnswer>({ text, finish: text, call }),
    failed: having<FailedAnswer>({ reason: text, isOverflow: flag, call }),
  }),
);

/** What a run is made of besides a policy, out of what holds other things as well. */
export function surroundingsOf<
  Given extends { readonly [Key in keyof typeof surroundings]?: unknown },
>(given: Given): Pick<Given, keyof typeof surroundings> {
  const { model, summaryModel, summarizer: writer, seed: start, mode } = given;
  return { model, summaryModel, summarizer: writer, seed: start, mode };
}

function isNoPromise(answer: unknown): boolean {
  return !(answer instanceof Promise);
}
