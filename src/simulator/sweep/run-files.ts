import * as z from 'zod';
import { expectPolicy } from '../../engine/internal.ts';
import type { Policy } from '../../engine/index.ts';
import type { RunEvent, RunMode } from '../events.ts';
import { messageOf } from '../lib/errors.ts';
import { callable, expectValid, known } from '../lib/expect.ts';
import { recordUnrun, type RunKey, type RunRecord } from '../metrics/record.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import { hasUsage, NO_USAGE, RECORDED, type RecordedArm, recordedArm } from '../replay/recorded.ts';
import { SignalShape, surroundings, surroundingsOf } from '../replay/run-trace.ts';
import { type CompileOptions, compileSession } from '../replay/compile.ts';
import type { SimulateOptions } from '../replay/simulate.ts';
import type { Trace } from '../replay/trace.ts';
import type { SessionSource, UnreadInput } from '../report/report.ts';
import type { RunView } from '../report/saved/run-view.ts';
import { watchView } from '../report/saved/view-log.ts';
import { toSetupSummary } from '../report/setup.ts';
import type { SettingValues } from '../scenario/settings.ts';
import type { Setup, SetupOf } from '../setup/setup.ts';
import { evidenceOf } from '../session/evidence.ts';
import { loadSessions } from '../session/load.ts';
import { describeCopy, findFileRepeats, type RepeatsByName } from '../session/find-copies.ts';
import { parseSessionName, type Session } from '../session/session.ts';
import { identifiedStoryOf } from '../session/story.ts';
import type { AnySummarizer } from '../summarizer/summarizer.ts';
import { type Counters, createCounters } from '../tokens/counters.ts';
import { requireAnswers } from './live.ts';
import { compileOptionsFor, type Prepared, prepareRuns, traceFor } from './run/prepare.ts';
import { meetSetup } from './run/meet-setup.ts';
import { isPolicy } from './grid.ts';
import { type AdapterArm, keyOfArm, runArm, type RunnableArm } from './run/run-arm.ts';

/** A session that somebody wrote, with what its author knows of its sizes. */
export interface WrittenSession extends Pick<CompileOptions, 'overheadTokens' | 'scale'> {
  readonly session: Session;
}

/** Which sessions to run, and against what. */
export interface RunFilesOptions {
  readonly files: readonly string[];
  /** A session that is in no recorded file, before those that are. */
  readonly written?: WrittenSession | undefined;
  /** Complete policies, with every setting applied. */
  readonly policies: readonly Policy[];
  /** Somebody's own compaction, below the policies. */
  readonly adapter?: AdapterArm | undefined;
  /** Its limits as used. */
  readonly model: ModelProfile;
  /** Decides the setup of a session of a file; nothing is known of sessions without it. */
  readonly setupOf?: SetupOf | undefined;
  /** True where each session keeps its recorded models and windows in the place of the model. */
  readonly onSetup?: boolean | undefined;
  /** Settings that are in force in policies and model. */
  readonly settings?: SettingValues | undefined;
  /** The model that writes summaries, where it is another one; its window is what counts. */
  readonly summaryModel?: ModelProfile | undefined;
  readonly summarizer: AnySummarizer;
  readonly seed: number;
  /** Open loop where it is absent. */
  readonly mode?: RunMode | undefined;
  /** The faults to inject into each run, and the models that it may be switched to. */
  readonly faults?: SimulateOptions['faults'];
  readonly findModel?: SimulateOptions['findModel'];
  readonly modelChanges?: SimulateOptions['modelChanges'];
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
  readonly counters: Counters;
  /** Content that sessions share. */
  readonly repeats: RepeatsByName;
}

type ReadyRuns = Extract<Prepared, { readonly state: 'ready' }>;

/** A session as its rows name it. */
type SessionKey = Pick<RunKey, 'session' | 'family'>;

/** An arm that meets a session. */
interface ArmContext extends RunContext {
  readonly key: SessionKey;
  readonly arm: RunnableArm;
  readonly setup?: Setup | undefined;
}

const OptionsSchema = z.strictObject({
  files: z.array(z.string()),
  policies: z.array(z.unknown()),
  adapter: known("somebody's own compaction", 'name', 'open').optional(),
  written: known('a session with its sizes', 'session').optional(),
  ...surroundings,
  setupOf: callable().optional(),
  onSetup: z.boolean().optional(),
  settings: z.unknown().optional(),
  counters: known('what counts tokens for a model', 'of').optional(),
  signal: SignalShape,
  keepsEvents: z.boolean().optional(),
  hasTexts: callable().optional(),
  recorded: z.enum(['where-known', 'asked']).optional(),
  nameOf: callable().optional(),
});

/** Runs every session of the files under every policy, one file in memory at a time. */
export async function* runFiles(options: RunFilesOptions): AsyncGenerator<RunItem, void, void> {
  expectValid('options', options, OptionsSchema);
  for (const [index, policy] of options.policies.entries())
    expectPolicy(`options.policies[${index}]`, policy);
  const counters = options.counters ?? createCounters();
  const { files, written, nameOf = (path: string) => path } = options;
  const repeats = await findFileRepeats(files, options.signal);
  const context: RunContext = { ...options, nameOf, counters, repeats };
  if (written !== undefined) yield* runSession(written.session, context);
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
  const setup = context.setupOf?.(evidenceOf(session), parseSessionName(session.name).path);
  const own = { ...context, ...meetModels(context, setup) };
  const { id } = own.model;
  const { overheadTokens, scale } = context.written ?? {};
  const compile = {
    ...compileOptionsFor(id, await context.counters.of(id)),
    overheadTokens,
    scale,
  };
  const whole = prepareRuns(() => compileSession(named, compile), surroundingsOf(own));
  if (whole.state === 'failed') {
    yield* toUnrun('failed', whole.reason, { ...own, key });
    return;
  }
  const prepared = {
    ...whole,
    trace: traceFor(context.summarizer.name, whole.trace, compile.count),
  };
  const source = {
    ...sourceOf(session, whole.trace, context),
    ...(setup && { setup: toSetupSummary(setup) }),
  };
  const arms = armsOf(own, hasUsage(whole.trace)).map((arm) => meetArm(arm, context, setup));
  const start = (arm: RunnableArm) => runOne({ whole, prepared }, { ...own, key, arm, setup });
  // Runs that wait for an answer wait for all of them at once.
  const started = context.summarizer.isAsync ? arms.map(start) : [];
  for (const [index, arm] of arms.entries()) {
    yield { type: 'record', ...(await (started[index] ?? start(arm))), source };
  }
}

/** The models of a session: as recorded, or the one that was named. */
function meetModels(
  context: RunContext,
  setup: Setup | undefined,
): Pick<RunContext, 'model' | 'modelChanges'> {
  const { model, modelChanges = context.modelChanges } = meetSetup(
    toMeeting(recordedArm, context),
    setup,
  );
  return { model, modelChanges };
}

/** An arm with what the session's agent is configured to, where it is of that agent. */
function meetArm(arm: RunnableArm, context: RunContext, setup: Setup | undefined): RunnableArm {
  return isPolicy(arm) ? meetSetup(toMeeting(arm, context), setup).policy : arm;
}

function toMeeting(
  policy: Policy | RecordedArm,
  { model, onSetup = false, settings = {} }: RunContext,
) {
  return { policy, model, settings, ...(onSetup && { onSetup: true as const }) };
}

function armsOf(
  { policies, adapter, recorded }: RunContext,
  isMeasured: boolean,
): readonly RunnableArm[] {
  const isTold = recorded === 'asked' || (recorded === 'where-known' && isMeasured);
  return [...policies, ...(adapter ? [adapter] : []), ...(isTold ? [recordedArm] : [])];
}

function toUnrun(
  state: 'failed' | 'skipped',
  reason: string,
  context: RunContext & { readonly key: SessionKey },
): readonly RecordItem[] {
  return armsOf(context, false).map((arm) => ({
    type: 'record',
    record: recordUnrun(keyOfArm(context.key, { ...context, arm }), state, reason),
  }));
}

function sourceOf(session: Session, { basis }: Trace, { repeats }: RunContext): SessionSource {
  const { name, isPartial, model, report } = session;
  const sharedMessages = repeats.shared.get(name)?.messages;
  return {
    basis,
    isPartial,
    ...(sharedMessages !== undefined && { sharedMessages }),
    ...(model !== undefined && { recordedModel: model }),
    story: identifiedStoryOf(session),
    ...report,
  };
}

/** A run that breaks is a row with its reason; the others go on. */
async function runOne(
  { whole, prepared }: Readonly<Record<'whole' | 'prepared', ReadyRuns>>,
  context: ArmContext,
): Promise<Pick<RecordItem, 'record' | 'events' | 'view'>> {
  const { arm, keepsEvents } = context;
  const key = keyOfArm(context.key, context);
  if (arm.name === RECORDED && !hasUsage(whole.trace)) {
    return { record: recordUnrun(key, 'skipped', NO_USAGE) };
  }
  const isForeign = !isPolicy(arm) && arm.name !== RECORDED;
  try {
    const told = await runWatched(isForeign ? whole : prepared, key, context);
    if (!keepsEvents) return { record: told.record };
    const hasTexts = isPolicy(arm) && (context.hasTexts?.(key.session) ?? false);
    // What is shown of texts is of a run that has them.
    const { record: _, ...shown } =
      hasTexts && prepared.trace !== whole.trace ? await runWatched(whole, key, context) : told;
    return { record: told.record, ...shown };
  } catch (error) {
    return { record: recordUnrun(key, 'failed', messageOf(error)) };
  }
}

async function runWatched(runs: ReadyRuns, key: RunKey, context: ArmContext) {
  const { arm, keepsEvents, signal, setup } = context;
  const watch = keepsEvents && isPolicy(arm) ? watchRun(runs.trace, arm, context) : undefined;
  const { events, record } = await runArm(runs, key, {
    ...surroundingsOf(context),
    arm,
    setup,
    summarizer: requireAnswers(context.summarizer),
    signal,
    ...(watch && { onTransition: watch.onTransition }),
  });
  return { record, events, ...(watch && { view: watch.tell(events) }) };
}

function watchRun(trace: Trace, { render }: Policy, { hasTexts }: RunContext) {
  return watchView(trace, {
    render,
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
