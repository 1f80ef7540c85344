import {
  callable,
  expectForm,
  fields,
  flag,
  listOf,
  oneOf,
  optional,
  policyForm,
  text,
  withKeys,
} from '../../engine/internal.ts';
import type { Policy } from '../../engine/index.ts';
import type { RunEvent, RunMode } from '../events.ts';
import { messageOf } from '../lib/errors.ts';
import { prepareBounds } from '../metrics/fold.ts';
import {
  keyOfRun,
  recordedKey,
  recordRun,
  recordUnrun,
  type RunKey,
  type RunRecord,
} from '../metrics/record.ts';
import type { Baseline } from '../metrics/metric.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import { hasUsage, NO_USAGE, replayRecorded } from '../replay/recorded.ts';
import { collectRun, signal, surroundings, surroundingsOf } from '../replay/run-trace.ts';
import { type CompileOptions, compileSession } from '../replay/compile.ts';
import type { Trace } from '../replay/trace.ts';
import type { SessionSource, UnreadInput } from '../report/report.ts';
import type { RunView } from '../report/saved/shapes.ts';
import { watchView } from '../report/saved/view-log.ts';
import { loadSessions } from '../session/load.ts';
import { describeCopy, findFileRepeats, type RepeatsByName } from '../session/repeats.ts';
import type { Session } from '../session/session.ts';
import { storyOf } from '../session/story.ts';
import type { AnySummarizer } from '../summarizer/summarizer.ts';
import { type Counters, createCounters } from '../tokens/counters.ts';
import { requireAnswers } from './live.ts';
import { compileOptionsFor, type Prepared, prepareRuns } from './run/prepare.ts';

/** Which sessions to run, and against what. */
export interface RunFilesOptions {
  readonly files: readonly string[];
  /** Complete policies, with every setting applied. */
  readonly policies: readonly Policy[];
  /** Its limits as used. */
  readonly model: ModelProfile;
  /** The model that writes summaries, where it is another one; its window is what counts. */
  readonly summaryModel?: ModelProfile | undefined;
  readonly summarizer: AnySummarizer;
  readonly seed: number;
  /** Open loop where it is absent. */
  readonly mode?: RunMode | undefined;
  /** Counter of tokens; one of its own, dropped after the last run, if absent. */
  readonly counters?: Counters | undefined;
  /** Fires when nobody waits for the runs any more. */
  readonly signal?: AbortSignal | undefined;
  /** True to add events and views to each record. */
  readonly keepsEvents?: boolean | undefined;
  /** Returns true if the view of a session has its texts; none by default. */
  readonly hasTexts?: ((session: string) => boolean) | undefined;
  /** The run as it was recorded, below those of the policies: where there is usage, or if asked for of each session; absent for none. */
  readonly recorded?: RecordedRows | undefined;
  /** How a path, or the name of a session, is shown; as given by default. */
  readonly nameOf?: (path: string) => string;
}

/** Which sessions have a row of the run as recorded; one that is asked for without usage is skipped. */
export type RecordedRows = 'where-known' | 'asked';

/** A run that has ended. */
export interface RecordItem {
  readonly type: 'record';
  readonly record: RunRecord;
  /** Absent for a session that was not replayed. */
  readonly source?: SessionSource;
  /** Only where they are kept. */
  readonly events?: readonly RunEvent[];
  /** The view of the requests; absent unless views are kept. */
  readonly view?: RunView;
}

/** A piece of a result, as it comes. */
export type RunItem =
  | {
      readonly type: 'file-start';
      readonly file: string;
      readonly index: number;
      readonly total: number;
    }
  | RecordItem
  | { readonly type: 'unread'; readonly unread: UnreadInput };

/** Shared by the runs of one call. */
interface RunContext extends RunFilesOptions {
  readonly nameOf: (path: string) => string;
  readonly compile: CompileOptions;
  /** Content that sessions share. */
  readonly repeats: RepeatsByName;
}

/** A session as its rows name it. */
type SessionKey = Pick<RunKey, 'session' | 'family'>;

/** A policy that meets a session. */
interface PolicyContext extends RunContext {
  readonly key: SessionKey;
  readonly policy: Policy;
}

const optionsForm = fields<RunFilesOptions>({
  files: listOf(text),
  policies: listOf(policyForm),
  ...surroundings,
  counters: optional(withKeys('what counts tokens for a model', 'of')),
  signal,
  keepsEvents: optional(flag),
  hasTexts: optional(callable),
  recorded: optional(oneOf<RecordedRows>({ 'where-known': true, asked: true })),
  nameOf: optional(callable),
});

/** Runs every session of the files under every policy, one file in memory at a time. */
export async function* runFiles(options: RunFilesOptions): AsyncGenerator<RunItem, void, void> {
  const { id } = expectForm('options', options, optionsForm).model;
  const counters = options.counters ?? createCounters();
  const compile = compileOptionsFor(id, await counters.of(id));
  const { files, nameOf = (path: string) => path } = options;
  const context: RunContext = { ...options, nameOf, compile, repeats: findFileRepeats(files) };
  const total = files.length;
  for (const [index, file] of files.entries()) {
    yield { type: 'file-start', file: context.nameOf(file), index, total };
    yield* runFile(file, context);
  }
}

async function* runFile(file: string, context: RunContext): AsyncGenerator<RunItem, void, void> {
  for (const loaded of loadSessions([file])) {
    if (loaded.state === 'read') yield* runSession(loaded.session, context);
    else {
      const unread = { file: context.nameOf(file), reason: loaded.reason };
      yield { type: 'unread', unread };
    }
  }
}

async function* runSession(
  session: Session,
  context: RunContext,
): AsyncGenerator<RunItem, void, void> {
  const copy = context.repeats.copies.get(session.name);
  const key = toSessionKey(session, context);
  if (copy !== undefined) {
    yield* toUnrun('skipped', describeCopy(copy, context.nameOf), { ...context, key });
    return;
  }
  const named = { ...session, name: key.session };
  const prepared = prepareRuns(
    () => compileSession(named, context.compile),
    surroundingsOf(context),
  );
  if (prepared.state === 'failed') {
    yield* toUnrun('failed', prepared.reason, { ...context, key });
    return;
  }
  const { trace, baseline } = prepared;
  const source = sourceOf(session, trace, context);
  const start = (policy: Policy) => runPolicy(trace, baseline, { ...context, key, policy });
  // What waits for an answer waits for all of them at once.
  const started = context.summarizer.isAsync ? context.policies.map(start) : [];
  for (const [index, policy] of context.policies.entries()) {
    yield { type: 'record', ...(await (started[index] ?? start(policy))), source };
  }
  for (const item of runRecorded(prepared, { ...context, key })) {
    yield { type: 'record', ...item, source };
  }
}

/** The row of the run as it was recorded, if there is one. */
function runRecorded(
  { trace, baseline }: Extract<Prepared, { readonly state: 'ready' }>,
  context: Omit<PolicyContext, 'policy'>,
): readonly Pick<RecordItem, 'record' | 'events'>[] {
  if (context.recorded === undefined) return [];
  const key = recordedKey(context.key, context);
  if (hasUsage(trace)) {
    const events = [...replayRecorded(trace, context)];
    const record = recordRun(key, events, { baseline });
    return [{ record, ...(context.keepsEvents && { events }) }];
  }
  return context.recorded === 'asked' ? [{ record: recordUnrun(key, 'skipped', NO_USAGE) }] : [];
}

/** A session under every policy, none of which was run. */
function toUnrun(
  state: 'failed' | 'skipped',
  reason: string,
  context: Omit<PolicyContext, 'policy'>,
): readonly RecordItem[] {
  const isAsked = context.recorded === 'asked';
  const keys = [
    ...context.policies.map((policy) => keyOfRun(context.key, { ...context, policy })),
    ...(isAsked ? [recordedKey(context.key, context)] : []),
  ];
  return keys.map((key) => ({ type: 'record', record: recordUnrun(key, state, reason) }));
}

function sourceOf(session: Session, { basis }: Trace, { repeats }: RunContext): SessionSource {
  const { name, isPartial, model, report } = session;
  const sharedMessages = repeats.shared.get(name)?.messages;
  return {
    basis,
    isPartial,
    ...(sharedMessages !== undefined && { sharedMessages }),
    ...(model !== undefined && { recordedModel: model }),
    story: storyOf(session),
    ...report,
  };
}

/** A run that breaks is a row with its reason; the others go on. */
async function runPolicy(
  trace: Trace,
  baseline: Baseline | undefined,
  context: PolicyContext,
): Promise<Pick<RecordItem, 'record' | 'events' | 'view'>> {
  const key = keyOfRun(context.key, context);
  try {
    const { policy, signal: stop } = context;
    const summarizer = requireAnswers(context.summarizer);
    const options = { ...surroundingsOf(context), policy, summarizer, signal: stop };
    const runBounds = prepareBounds(trace, options);
    const watch = context.keepsEvents ? watchRun(trace, context) : undefined;
    const events = await collectRun(trace, {
      ...options,
      ...(watch && { onTransition: watch.onTransition }),
    });
    const record = recordRun(key, events, { baseline, runBounds });
    return { record, ...(watch && { events, view: watch.tell(events) }) };
  } catch (error) {
    return { record: recordUnrun(key, 'failed', messageOf(error)) };
  }
}

function watchRun(trace: Trace, { policy, hasTexts }: PolicyContext) {
  return watchView(trace, {
    render: policy.render,
    hasTexts: hasTexts?.(trace.session) ?? false,
  });
}

function toSessionKey({ name }: Session, { repeats, nameOf }: RunContext): SessionKey {
  const family = repeats.families.get(name);
  return {
    session: nameOf(name),
    ...(family !== undefined && { family: nameOf(family) }),
  };
}
