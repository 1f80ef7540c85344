/** What values from outside have to be before they are replayed; programs without types, or with wrong ones, are told what is not. */

import {
  being,
  both,
  callable,
  finite,
  flag,
  having,
  kindOf,
  limitsForm,
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
  withKeys,
} from '../../engine/form/index.ts';
import type { Evidence, RunMode, TokenScale } from '../events.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
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
import type { ForeignOptions } from './foreign/running-foreign.ts';
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

/** What something can be counted with. */
export const compileOptionsForm = having<CompileOptions>({
  tokenizer: text,
  tokenizerEvidence: oneOf<Evidence>({ measured: true, estimated: true }),
  count: counter,
  overheadTokens: optional(tokens),
  scale: optional(having<TokenScale>({ factor: finite, perMessageTokens: tokens })),
});

/** A session that is ready to be replayed. */
export const traceForm = withKeys('what `compileSession` gives', 'turns', 'basis', 'references');

const model = once(
  both(
    withKeys('a model, such as `findModel` gives', 'limits', 'behaviour'),
    having<ModelProfile>({ limits: limitsForm, trueLimits: limitsForm }),
  ),
);

const summarizer = once(
  both(
    withKeys('a summarizer, such as `findSummarizer` gives', 'name', 'summarise'),
    having<AnySummarizer>({ name: text, summarise: callable }),
  ),
);

const seed = being('a whole number', Number.isSafeInteger);

/** What a run is made of besides a policy, for one or for many. */
export const surroundings = {
  model,
  summaryModel: optional(model),
  summarizer,
  seed,
  mode: optional(oneOf<RunMode>({ 'open-loop': true, 'closed-loop': true })),
};

/** What a run can be made of. */
export const runForm = having<AsyncRunOptions>({ policy: policyForm, ...surroundings });

/** What a run of somebody's own compaction can be made of. */
export const foreignRunForm = having<ForeignOptions>({
  compactor: callable,
  name: text,
  model,
  seed,
  env: withKeys('what `createEnv` gives', 'now', 'newId'),
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

function isNoPromise(answer: unknown): boolean {
  return !(answer instanceof Promise);
}
