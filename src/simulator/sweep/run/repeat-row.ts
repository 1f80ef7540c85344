import type { RunEvent } from '../../events.ts';
import { collectRun } from '../../replay/run-trace.ts';
import type { RunView } from '../../report/saved/run-view.ts';
import { watchView } from '../../report/saved/watch-view.ts';
import { findSummarizer } from '../../summarizer/summarizers.ts';
import type { Cell } from '../grid/cell.ts';
import type { ResultRow } from '../result-row.ts';
import type { PreparedSession } from './controls.ts';
import { digestEvents } from './event-digest.ts';

/** A row whose run was made once more, with all that a picture of it needs; or why it was not. */
export type Repeated =
  | { readonly state: 'same'; readonly events: readonly RunEvent[]; readonly view: RunView }
  | { readonly state: 'other'; readonly reason: string };

/** What a row is repeated with. */
export interface RepeatOptions {
  readonly cell: Cell;
  readonly hasTexts: boolean;
}

/** Makes the run of a row again. It counts only where the same happens, for that is what the row tells of. */
export async function repeatRow(
  row: ResultRow,
  session: PreparedSession,
  { cell, hasTexts }: RepeatOptions,
): Promise<Repeated> {
  if (row.eventDigest === '') return { state: 'other', reason: row.reason ?? 'it was not run' };
  const prepared = session.against(cell.model);
  if (prepared.state === 'failed') return { state: 'other', reason: prepared.reason };
  const { policy, model, summaryModel, summarizer: name, mode } = cell;
  const summarizer = findSummarizer(name);
  const watch = watchView(prepared.trace, { render: policy.render, hasTexts });
  const { onTransition } = watch;
  const options = { policy, model, summaryModel, summarizer, seed: row.seed, mode, onTransition };
  const events = await collectRun(prepared.trace, options);
  return digestEvents(events) === row.eventDigest
    ? { state: 'same', events, view: watch.tell(events) }
    : { state: 'other', reason: 'this release does not do the same' };
}
