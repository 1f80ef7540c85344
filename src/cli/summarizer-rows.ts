import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../simulator/lib/errors.ts';
import { badValue } from '../simulator/lib/names.ts';
import { SCORER_VERSION } from '../simulator/metrics/quality/score-text.ts';
import type { CompileOptions } from '../simulator/replay/compile.ts';
import type { CountText } from '../simulator/replay/count.ts';
import type { SummaryRow } from '../simulator/report/arm-metrics.ts';
import type { Origin } from '../simulator/report/origin.ts';
import type { UnreadInput } from '../simulator/report/report.ts';
import type { SummarizersProvenance } from '../simulator/report/summarizers-report.ts';
import type { PlantedFact } from '../simulator/session/facts.ts';
import { loadSessions } from '../simulator/session/load.ts';
import { familiesWithCopies, findFileRepeats } from '../simulator/session/repeats.ts';
import type { ImportReport, Session } from '../simulator/session/session.ts';
import type { SummarizerRegistry } from '../simulator/summarizer/open.ts';
import type { AnySummarizer } from '../simulator/summarizer/summarizer.ts';
import { joinFamilies } from '../simulator/sweep/compare/pair-sides.ts';
import { compileOptionsFor } from '../simulator/sweep/run/prepare.ts';
import type { SummarizersInput } from '../simulator/sweep/summarizers/build-report.ts';
import {
  armKey,
  countRepeats,
  orderRows,
  rowKey,
  watchModels,
  whyScenariosDiffer,
} from '../simulator/sweep/summarizers/comparable.ts';
import {
  prepareScenario,
  SHIPPED_SCENARIOS,
  shippedScenarios,
  type SummaryScenario,
} from '../simulator/sweep/summarizers/inputs.ts';
import {
  type ArmsContext,
  createModelReader,
  type NamedReader,
  runArms,
} from '../simulator/sweep/summarizers/run-arms.ts';
import { type RunInputs, withCounters } from './inputs.ts';
import type { CliIo } from './process/io.ts';
import { type ShowProgress, withProgress } from './process/progress.ts';

/** The comparison with its inputs. */
interface SummarizersRun extends RowsPlan {
  readonly origin: Origin;
  /** The model that is asked about what is left; nobody where it is absent. */
  readonly reader?: AnySummarizer | undefined;
}

/** The findings of a comparison. */
export type SummarizersFindings = SummarizersInput & Pick<GatheredRows, 'dropped'>;

/** Which rows are made. */
interface RowsPlan {
  readonly context: Omit<ArmsContext, 'known' | 'signal' | 'reader'>;
  readonly inputs: SummaryInputs;
  /** Facts of a user's file that are to be kept; absent where the sessions say it themselves. */
  readonly facts?: readonly PlantedFact[] | undefined;
  /** Rows that are there already. */
  readonly rows: readonly SummaryRow[];
  /** True if no model is asked, so that none can have changed. */
  readonly isDryRun: boolean;
  /** Told each new row. */
  readonly onRow: (row: SummaryRow) => void;
}

/** The same with all that a row is made with. */
interface OpenRun extends RowsPlan {
  readonly reader: NamedReader | undefined;
  readonly compile: CompileOptions;
  readonly show: ShowProgress;
  readonly signal: AbortSignal;
}

/** All rows, those that were there among them, and what gave none. */
interface GatheredRows {
  readonly rows: readonly SummaryRow[];
  readonly unread: readonly UnreadInput[];
  /** Unreadable lines of each read session. */
  readonly dropped: readonly ImportReport['dropped'][];
}

/** Why rows cannot be compared. */
interface Incomparable {
  readonly incomparable: string;
}

/** A row, an input that gave none, or a session that is to be run. */
type Item =
  | { readonly type: 'row'; readonly row: SummaryRow }
  | { readonly type: 'unread'; readonly unread: UnreadInput }
  | {
      readonly type: 'session';
      readonly name: string;
      readonly hash: string;
      readonly dropped: ImportReport['dropped'];
    };

/** A session to be summarised, or an input that gave none. */
type SummaryInput =
  | { readonly state: 'read'; readonly session: Session }
  | { readonly state: 'unread'; readonly unread: UnreadInput };

/** Sessions one after another, about how many there are, and which of them are no independent evidence. */
interface SummaryInputs {
  readonly total: number;
  /** The family of each that shares its beginning with another, or holds the same; those that stand alone are absent. */
  readonly families: ReadonlyMap<string, string>;
  readonly sessions: Iterable<SummaryInput>;
}

/** Runs every arm on every session, until rows cannot be compared; `undefined` if the user wanted to stop. */
export async function runSummarizers(
  run: SummarizersRun,
  io: CliIo,
): Promise<SummarizersFindings | Incomparable | undefined> {
  const { signal } = io;
  // Every request that waits listens to it.
  setMaxListeners(0, signal);
  try {
    return await withCounters(io, async (counters) => {
      const count = await counters.of(run.context.model.id);
      return await withProgress(io, (show) => findIn(run, { count, show, signal }));
    });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** The model that answers questions. Others choose among the sentences that they are given, whatever they are asked. */
export function findReader(
  name: string,
  registry: Pick<SummarizerRegistry, 'find'>,
): AnySummarizer {
  if (name.includes(':')) return registry.find(name);
  throw badValue('--reader', "a real model as in 'ai:openai/gpt-5-mini'", name);
}

/** The sessions of files, or those that come with the package, each when it is asked for. */
export async function toSummaryInputs(found: RunInputs | undefined): Promise<SummaryInputs> {
  if (found === undefined) {
    return { total: SHIPPED_SCENARIOS, families: new Map(), sessions: shippedSessions() };
  }
  const families = familiesWithCopies(await findFileRepeats(found.files));
  return { total: found.files.length, families, sessions: sessionsOf(found) };
}

async function findIn(
  run: SummarizersRun,
  { count, show, signal }: Pick<OpenRun, 'show' | 'signal'> & { readonly count: CountText },
): Promise<SummarizersFindings | Incomparable | undefined> {
  const { context } = run;
  const reader = run.reader && openReader(run.reader, { count, signal });
  const compile = compileOptionsFor(context.model.id, count);
  const gathered = await gatherRows({ ...run, reader, compile, show, signal });
  if (signal.aborted) return undefined;
  if ('incomparable' in gathered) return gathered;
  const { rows, unread, dropped } = gathered;
  const families = knownFamilies(rows, run.inputs);
  const provenance = toProvenance(run, rows, families);
  return { rows, unread, dropped, provenance };
}

/** A reader for each repetition, so that recordings of it have their order. */
function openReader(
  model: AnySummarizer,
  options: { readonly count: CountText; readonly signal: AbortSignal },
): NamedReader {
  return { name: model.name, of: (repeat) => createModelReader(model, { ...options, repeat }) };
}

/** All rows in the order of the plan. What is on its way when the user wants to stop is waited for, for it may be done. */
async function gatherRows(run: OpenRun): Promise<GatheredRows | Incomparable> {
  const rows = [...run.rows];
  const unread: UnreadInput[] = [];
  const scenarios: string[] = [];
  const dropped: ImportReport['dropped'][] = [];
  const whyOtherModel = run.isDryRun ? () => undefined : watchModels();
  for (const row of rows) whyOtherModel(row);
  for await (const item of itemsOf(run)) {
    if (item.type === 'unread') unread.push(item.unread);
    else if (item.type === 'session') {
      scenarios.push(item.name);
      dropped.push(item.dropped);
    }
    const incomparable =
      item.type === 'row' ? whyOtherModel(item.row) : whyOtherSession(rows, item);
    if (incomparable !== undefined) return { incomparable };
    if (item.type === 'row') {
      rows.push(item.row);
      run.onRow(item.row);
    }
    // A trial blocks; a signal is heard only between two of them.
    await setImmediate();
  }
  const arms = run.context.arms.map(({ summarizer, prompt }) =>
    armKey({ summarizer: summarizer.name, promptHash: prompt.hash }),
  );
  return { rows: orderRows(rows, { arms, scenarios }), unread, dropped };
}

async function* itemsOf(run: OpenRun): AsyncGenerator<Item, void, void> {
  const { context, reader, inputs, show, signal } = run;
  const known = new Set(run.rows.map(rowKey));
  let index = 0;
  for (const input of inputs.sessions) {
    if (signal.aborted) return;
    if (input.state === 'read') {
      const { name: file } = input.session;
      show({ file, index, total: Math.max(inputs.total, index + 1) });
      index += 1;
    }
    const prepared = prepare(input, run);
    if ('reason' in prepared) {
      yield { type: 'unread', unread: prepared };
      continue;
    }
    const dropped = input.state === 'read' ? input.session.report.dropped : {};
    yield { type: 'session', name: prepared.name, hash: prepared.hash, dropped };
    const rows = runArms(prepared, { ...context, reader, known, signal });
    for await (const row of rows) yield { type: 'row', row };
  }
}

/** A session that cannot be compiled does not stop the others. */
function prepare(
  input: SummaryInput,
  { compile, facts, inputs: { families } }: Pick<OpenRun, 'compile' | 'facts' | 'inputs'>,
): SummaryScenario | UnreadInput {
  if (input.state === 'unread') return input.unread;
  try {
    const family = families.get(input.session.name);
    return { ...prepareScenario(input.session, compile, facts), family };
  } catch (error) {
    const reason = messageOf(error);
    return { file: input.session.name, reason };
  }
}

/** Told before a session is run beside rows of another one of its name. */
function whyOtherSession(rows: readonly SummaryRow[], item: Item): string | undefined {
  if (item.type !== 'session') return undefined;
  const own = rows.filter(({ scenario }) => scenario === item.name);
  return whyScenariosDiffer([...own, { scenario: item.name, scenarioHash: item.hash }]);
}

/** Rows that were there may be of sessions that are none of the inputs. */
function knownFamilies(
  rows: readonly SummaryRow[],
  { families }: SummaryInputs,
): ReadonlyMap<string, string> {
  const told = rows.map(({ scenario: session, family }) => ({ session, family }));
  const found = [...families].map(([session, family]) => ({ session, family }));
  return joinFamilies([{ rows: told }, { rows: found }]);
}

function toProvenance(
  { context, origin }: Pick<SummarizersRun, 'context' | 'origin'>,
  rows: readonly SummaryRow[],
  families: ReadonlyMap<string, string>,
): SummarizersProvenance {
  const { policy, model, pivots, compactAt, seed, repeats, bench } = context;
  const scenarios = new Map(
    rows.map(({ scenario: name, scenarioHash: hash, facts }) => {
      const family = families.get(name);
      return [name, { name, hash, facts, ...(family !== undefined && { family }) }];
    }),
  );
  return {
    origin,
    scorerVersion: SCORER_VERSION,
    bench: bench.hash,
    policy: policy.name,
    model: model.id,
    pivots,
    compactAt: compactAt ?? 'policy',
    seed,
    ...countRepeats(rows, repeats),
    scenarios: [...scenarios.values()],
  };
}

function* shippedSessions(): Generator<SummaryInput, void, undefined> {
  for (const session of shippedScenarios()) yield { state: 'read', session };
}

function* sessionsOf({ files, unread }: RunInputs): Generator<SummaryInput, void, undefined> {
  for (const one of unread) yield { state: 'unread', unread: one };
  for (const loaded of loadSessions(files)) {
    if (loaded.state === 'read') yield loaded;
    else yield { state: 'unread', unread: { file: loaded.file, reason: loaded.reason } };
  }
}
