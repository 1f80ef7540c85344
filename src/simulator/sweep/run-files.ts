import { join } from 'node:path';
import * as z from 'zod';
import type { Policy } from '../../engine/index.ts';
import { expectPolicy } from '../../engine/internal.ts';
import type { RunEvent } from '../events.ts';
import { known as withKnown } from '../lib/collections.ts';
import { messageOf } from '../lib/errors.ts';
import { callable, expectValid, known } from '../lib/expect.ts';
import { type Keep, openKeep } from '../lib/keep.ts';
import { nameBlamed } from '../metrics/blame.ts';
import { recordUnrun, type RunKey, type RunRecord } from '../metrics/record.ts';
import { type CompileOptions, compileSession } from '../replay/compile.ts';
import { hasUsage, NO_USAGE, RECORDED, recordedArm } from '../replay/recorded.ts';
import {
  type AsyncRunOptions,
  SignalShape,
  surroundings,
  surroundingsOf,
} from '../replay/run-trace.ts';
import type { Trace } from '../replay/trace.ts';
import type { SessionSource, UnreadInput } from '../report/report.ts';
import type { Blamed } from '../metrics/diagnosis.ts';
import type { RunView } from '../report/plots.ts';
import { toSetupSummary } from '../report/setup.ts';
import type { SettingValues } from '../scenario/settings.ts';
import { evidenceOf } from '../session/evidence.ts';
import { describeCopy, findFileRepeats, type RepeatsByName } from '../session/find-copies.ts';
import { loadSessions } from '../session/load.ts';
import { parseSessionName, type Session } from '../session/session.ts';
import { identifiedStoryOf } from '../session/story.ts';
import type { Setup, SetupOf } from '../setup/setup.ts';
import { type Counters, createCounters } from '../tokens/tokenizer.ts';
import { isPolicy } from './grid.ts';
import { meetRuns } from './run/meet-setup.ts';
import { compileOptionsFor, type Prepared, prepareRuns, traceFor } from './run/prepare.ts';
import { type AdapterArm, keyOfArm, requireAnswers, runArm, type RunnableArm } from './run/row.ts';
import { hashSession } from './run/task.ts';

export interface WrittenSession extends Pick<CompileOptions, 'overheadTokens' | 'scale'> {
  readonly session: Session;
}

/** Which sessions to run, and against what; the signal fires when nobody waits for the runs any more. */
export interface RunFilesOptions
  extends Omit<AsyncRunOptions, 'policy' | 'maxSteps' | 'isBlind' | 'onTransition' | 'repeat'> {
  readonly files: readonly string[];
  /** Folder in which runs of a session are kept once all of them are made; nothing is kept by default. */
  readonly keptIn?: string | undefined;
  /** Repeats among the files, which are read for them otherwise. */
  readonly repeats?: RepeatsByName | undefined;
  /** A session that is in no recorded file, before those that are. */
  readonly written?: WrittenSession | undefined;
  /** Complete policies, with every setting applied. */
  readonly policies: readonly Policy[];
  /** Somebody's own compaction, below the policies. */
  readonly adapter?: AdapterArm | undefined;
  /** Decides the setup of a session of a file; nothing is known of sessions without it. */
  readonly setupOf?: SetupOf | undefined;
  /** True where each session keeps its recorded models and windows in the place of the model. */
  readonly onSetup?: boolean | undefined;
  /** Settings that are in force in policies and model. */
  readonly settings?: SettingValues | undefined;
  /** Counter of tokens; one of its own, dropped after the last run, if absent. */
  readonly counters?: Counters | undefined;
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
  /** Names of what its findings blame, which no document has. */
  readonly blamed?: Blamed;
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

interface RunContext extends RunFilesOptions {
  readonly nameOf: (path: string) => string;
  readonly counters: Counters;
  readonly repeats: RepeatsByName;
  readonly keep: Keep;
}

interface KeptRuns extends Pick<Trace, 'basis'> {
  readonly isMeasured: boolean;
  readonly runs: readonly Omit<RunRecord, 'session' | 'family'>[];
}

interface ArmContext extends RunContext {
  readonly key: Pick<RunKey, 'session' | 'family'>;
  readonly session: Session;
  readonly arm: RunnableArm;
  readonly setup?: Setup | undefined;
}

const RECORDS = 'records';

type ReadyRuns = Extract<Prepared, { readonly state: 'ready' }>;

const OptionsSchema = z.strictObject({
  files: z.array(z.string()),
  keptIn: z.string().optional(),
  repeats: known('repeats by the names of sessions', 'copies').optional(),
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
  const { files, written, signal, nameOf = (path: string) => path } = options;
  const { counters = createCounters() } = options;
  const { repeats = await findFileRepeats(files, signal) } = options;
  const { keptIn } = options;
  const keep = openKeep(keptIn && join(keptIn, RECORDS));
  const context: RunContext = { ...options, nameOf, counters, repeats, keep };
  if (written !== undefined) yield* runSession(written.session, context);
  for (const [index, file] of files.entries()) {
    yield { type: 'file-start', file: nameOf(file), index, total: files.length };
    for (const loaded of loadSessions([file])) {
      if (loaded.state === 'read') yield* runSession(loaded.session, context);
      else yield { type: 'unread', unread: { file: nameOf(file), reason: loaded.reason } };
    }
  }
}

async function* runSession(
  session: Session,
  context: RunContext,
): AsyncGenerator<RunItem, void, void> {
  const { repeats, nameOf, counters, summarizer, keep } = context;
  const { name } = session;
  const family = repeats.families.get(name);
  const shownFamily = family === undefined ? undefined : nameOf(family);
  const key = { session: nameOf(name), ...withKnown({ family: shownFamily }) };
  const copy = repeats.copies.get(name);
  if (copy !== undefined) {
    yield* toUnrun('skipped', describeCopy(copy, nameOf), { ...context, session, key });
    return;
  }
  const setup = context.setupOf?.(evidenceOf(session), parseSessionName(name).path);
  const own = { ...context, ...meetRuns(context, setup), key, session, setup };
  const keptAs = keyOfRuns(own);
  const kept = keptAs === undefined ? undefined : (keep.get(keptAs) as KeptRuns | undefined);
  if (kept !== undefined) {
    yield* toldAgain(kept, own);
    return;
  }
  const { id } = own.model;
  const { overheadTokens, scale } = context.written ?? {};
  const compile = compileOptionsFor(id, await counters.of(id));
  const whole = prepareRuns(
    () => compileSession({ ...session, name: key.session }, { ...compile, overheadTokens, scale }),
    surroundingsOf(own),
  );
  if (whole.state === 'failed') {
    yield* toUnrun('failed', whole.reason, own);
    return;
  }
  const prepared = { ...whole, trace: traceFor(summarizer.name, whole.trace) };
  const source = sourceOf(session, whole.trace, own);
  const isMeasured = hasUsage(whole.trace);
  const arms = armsOf(own, isMeasured);
  const start = (arm: RunnableArm) => runOne({ whole, prepared }, { ...own, arm });
  // Runs that wait for an answer wait for all of them at once.
  const started = summarizer.isAsync ? arms.map(start) : [];
  const runs: KeptRuns['runs'][number][] = [];
  for (const [index, arm] of arms.entries()) {
    const told = await (started[index] ?? start(arm));
    const { session: _, family: __, ...run } = told.record;
    runs.push(run);
    const isLast = runs.length === arms.length;
    // Whoever failed may do better the next time.
    if (isLast && keptAs !== undefined && runs.every(({ state }) => state !== 'failed'))
      keep.put(keptAs, { basis: whole.trace.basis, isMeasured, runs } satisfies KeptRuns);
    yield { type: 'record', ...told, source };
  }
}

/** All that decides the runs of a session; undefined where they need more than is kept of them. */
function keyOfRuns({ session, setup, policies, recorded, ...own }: Omit<ArmContext, 'arm'>) {
  const { keptIn, written, adapter, findModel, keepsEvents = false } = own;
  const { summarizer, ...around } = surroundingsOf(own);
  const isWhole = !written && !adapter && !findModel && !keepsEvents && !summarizer.isAsync;
  if (keptIn === undefined || !isWhole) return undefined;
  return JSON.stringify([hashSession(session), summarizer.name, around, policies, recorded, setup]);
}

function* toldAgain(
  { basis, isMeasured, runs }: KeptRuns,
  own: Omit<ArmContext, 'arm'>,
): Generator<RecordItem, void, void> {
  const source = sourceOf(own.session, { basis }, own);
  for (const [index, arm] of armsOf(own, isMeasured).entries()) {
    const run = runs[index];
    if (run === undefined) continue;
    const record = { ...keyOfArm(own.key, { ...own, arm }), ...run };
    yield { type: 'record', record, ...blamedIn(own.session, record), source };
  }
}

function blamedIn(session: Session, { findings }: RunRecord) {
  return withKnown({ blamed: findings && nameBlamed(session, findings) });
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
  context: Omit<ArmContext, 'arm'>,
): readonly RecordItem[] {
  return armsOf(context, false).map((arm) => ({
    type: 'record',
    record: recordUnrun(keyOfArm(context.key, { ...context, arm }), state, reason),
  }));
}

function sourceOf(
  session: Session,
  { basis }: Pick<Trace, 'basis'>,
  { repeats, setup }: Omit<ArmContext, 'arm'>,
) {
  const { name, isPartial, model, report } = session;
  const sharedMessages = repeats.shared.get(name)?.messages;
  return {
    basis,
    isPartial,
    ...withKnown({ sharedMessages, recordedModel: model }),
    story: identifiedStoryOf(session),
    ...report,
    ...(setup && { setup: toSetupSummary(setup) }),
  };
}

/** A run that breaks is a row with its reason; the others go on. */
async function runOne(
  { whole, prepared }: Readonly<Record<'whole' | 'prepared', ReadyRuns>>,
  context: ArmContext,
): Promise<Pick<RecordItem, 'record' | 'events' | 'view' | 'blamed'>> {
  const { arm, keepsEvents, session, setup, signal } = context;
  const key = keyOfArm(context.key, context);
  if (arm.name === RECORDED && !hasUsage(whole.trace)) {
    return { record: recordUnrun(key, 'skipped', NO_USAGE) };
  }
  const isForeign = !isPolicy(arm) && arm.name !== RECORDED;
  const hasTexts = isPolicy(arm) && context.hasTexts?.(key.session) === true;
  const summarizer = requireAnswers(context.summarizer);
  const views = keepsEvents && isPolicy(arm) ? { hasTexts } : undefined;
  const options = { ...surroundingsOf(context), arm, setup, summarizer, signal, views };
  try {
    const told = await runArm(isForeign ? whole : prepared, key, options);
    const named = blamedIn(session, told.record);
    if (!keepsEvents) return { record: told.record, ...named };
    // What is shown of texts is of a run that has them.
    const isAgain = hasTexts && prepared.trace !== whole.trace;
    const shown = isAgain ? await runArm(whole, key, options) : told;
    return { ...shown, ...named, record: told.record };
  } catch (error) {
    return { record: recordUnrun(key, 'failed', messageOf(error)) };
  }
}
