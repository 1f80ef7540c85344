/** Checks of values that callers pass in, for programs without types. */

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
  once,
  oneOf,
  optional,
  policyForm,
  text,
  tokens,
  usageForm,
  userForm,
  whole,
  withKeys,
} from '../../engine/form/index.ts';
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

/** Check of the options of `compileSession`; unknown options are errors. */
export const compileOptionsForm = fields<CompileOptions>({
  tokenizer: text,
  tokenizerEvidence: oneOf<Evidence>({ measured: true, estimated: true }),
  count: counter,
  overheadTokens: optional(tokens),
  scale: optional(fields<TokenScale>({ factor, perMessageTokens: tokens })),
});

/** A session that is ready to be replayed. */
export const traceForm = withKeys('what `compileSession` gives', 'turns', 'basis', 'references');

const summarizer = once(
  both(
    withKeys('a summarizer, such as `findSummarizer` gives', 'name', 'summarise'),
    having<AnySummarizer>({ name: text, summarise: callable }),
  ),
);

const seed = being('a whole number', Number.isSafeInteger);

/** Checks of the options that a run and a sweep share. */
export const surroundings = {
  model: profileForm,
  summaryModel: optional(profileForm),
  summarizer,
  seed,
  mode: optional(oneOf<RunMode>({ 'open-loop': true, 'closed-loop': true })),
};

const faults = optional(listOf(faultForm));

/** Check of an abort signal. */
export const signal = optional(withKeys('the signal of an `AbortController`', 'aborted', 'reason'));

/** Check of the options of a run; unknown options are errors. */
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

/** Check of the options of a run of a foreign compactor; unknown options are errors. */
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

/** Check of a summarizer's answer. */
export const answerForm = both(
  being('no promise unless `isAsync` is true', isNoPromise),
  kindOf<SummaryAnswer['state']>('state', {
    finished: having<FinishedAnswer>({ text, finish: text, call }),
    failed: having<FailedAnswer>({ reason: text, isOverflow: flag, call }),
  }),
);

/** Picks the options that a run and a sweep share out of a larger object. */
export function surroundingsOf<
  Given extends { readonly [Key in keyof typeof surroundings]?: unknown },
>(given: Given): Pick<Given, keyof typeof surroundings> {
  const { model, summaryModel, summarizer: writer, seed: start, mode } = given;
  return { model, summaryModel, summarizer: writer, seed: start, mode };
}

function isNoPromise(answer: unknown): boolean {
  return !(answer instanceof Promise);
}
