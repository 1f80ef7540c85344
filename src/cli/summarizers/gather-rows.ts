import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../../simulator/errors.ts';
import type { CompileOptions } from '../../simulator/replay/compile.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import type { SummaryRow } from '../../simulator/report/summarizers/summary-row.ts';
import type { ImportReport } from '../../simulator/session/session.ts';
import {
  armKey,
  rowKey,
  watchModels,
  whyScenariosDiffer,
} from '../../simulator/sweep/summarizers/comparable.ts';
import { orderRows } from '../../simulator/sweep/summarizers/order-rows.ts';
import type { ProbePanel } from '../../simulator/sweep/summarizers/probe-trial.ts';
import { type ArmsContext, runArms } from '../../simulator/sweep/summarizers/run-arms.ts';
import {
  prepareScenario,
  type SummaryScenario,
} from '../../simulator/sweep/summarizers/scenario.ts';
import type { ShowProgress } from '../process/progress.ts';
import type { SummaryInput, SummaryInputs } from './sessions.ts';

/** Which rows are made. */
export interface RowsPlan {
  readonly context: Omit<ArmsContext, 'known' | 'signal' | 'panel'>;
  readonly inputs: SummaryInputs;
  /** Rows that are there already. */
  readonly rows: readonly SummaryRow[];
  /** Whether no model is asked, so that none can be another than before. */
  readonly isDryRun: boolean;
  /** Told each new row. */
  readonly onRow: (row: SummaryRow) => void;
}

/** The same with all that a row is made with. */
export interface OpenRun extends RowsPlan {
  readonly panel: ProbePanel | undefined;
  readonly compile: CompileOptions;
  readonly show: ShowProgress;
  readonly signal: AbortSignal;
}

/** All rows, those that were there among them, and what gave none. */
export interface GatheredRows {
  readonly rows: readonly SummaryRow[];
  readonly unread: readonly UnreadInput[];
  /** What could not be read of each session that was. */
  readonly dropped: readonly ImportReport['dropped'][];
}

/** Why rows cannot be compared. */
export interface Incomparable {
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

/** All rows in the order of the plan. What is on its way when the user wants to stop is waited for, for it may be done. */
export async function gatherRows(run: OpenRun): Promise<GatheredRows | Incomparable> {
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

/** Told before a session is run beside rows of another one of its name. */
function whyOtherSession(rows: readonly SummaryRow[], item: Item): string | undefined {
  if (item.type !== 'session') return undefined;
  const own = rows.filter(({ scenario }) => scenario === item.name);
  return whyScenariosDiffer([...own, { scenario: item.name, scenarioHash: item.hash }]);
}

async function* itemsOf(run: OpenRun): AsyncGenerator<Item, void, void> {
  const { context, panel, inputs, show, signal } = run;
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
    const rows = runArms(prepared, { ...context, panel, known, signal });
    for await (const row of rows) yield { type: 'row', row };
  }
}

/** A session that cannot be compiled does not stop the others. */
function prepare(
  input: SummaryInput,
  { compile, inputs: { families } }: Pick<OpenRun, 'compile' | 'inputs'>,
): SummaryScenario | UnreadInput {
  if (input.state === 'unread') return input.unread;
  try {
    const family = families.get(input.session.name);
    return { ...prepareScenario(input.session, compile), family };
  } catch (error) {
    const reason = messageOf(error);
    return { file: input.session.name, reason };
  }
}
