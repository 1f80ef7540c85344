import { closeSync, openSync } from 'node:fs';
import { messageOf } from '../../simulator/errors.ts';
import type { RunEvent } from '../../simulator/events.ts';
import type { RunRecord } from '../../simulator/metrics/record.ts';
import type { Report } from '../../simulator/report/report.ts';
import {
  renderEventsHeader,
  renderSavedRun,
  renderSavedUnread,
} from '../../simulator/report/saved/events-file.ts';
import type { RunView } from '../../simulator/report/saved/run-view.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import type { RecordItem } from '../../simulator/sweep/run-files.ts';
import { writeAll } from '../../simulator/write-all.ts';
import { createDraft } from '../../simulator/write-whole.ts';
import { toWriteError, writing } from '../../simulator/writing.ts';
import type { CliIo } from '../process/io.ts';
import { checkNoInput, checkOutPath, printDone, printNote } from '../process/output.ts';
import type { LivePlan } from './plan.ts';
import { makeTemporary } from '../process/temporary.ts';
import { provenanceOf } from './run-sessions.ts';

/** Keeps the events of runs: in a file, for a picture, or both. */
export interface RunRecords {
  readonly add: (item: RecordItem) => void;
  readonly eventsOf: (run: RunRecord) => readonly RunEvent[] | undefined;
  readonly viewOf: (run: RunRecord) => RunView | undefined;
  /** Ends the file; whether that worked. */
  save(report: Report, io: CliIo): boolean;
  /** Leaves nothing behind. */
  drop(): void;
}

/** Where events go. */
export interface KeepOptions {
  readonly path: string | undefined;
  /** Whether they are needed when all runs are done. */
  readonly isKept: boolean;
}

/** Throws if events cannot become a file at that path. */
export function checkEventsPath(path: string, inputs: readonly string[]): void {
  checkOutPath(path, '--events');
  checkNoInput(path, inputs, { what: "'--events'" });
}

/** What keeps the events of runs; nothing where nobody wants them. */
export function createRunRecords(
  plan: LivePlan,
  { path, isKept }: KeepOptions,
): RunRecords | undefined {
  if (path === undefined && !isKept) return undefined;
  const kept = new Map<RunRecord, RecordItem>();
  const file = path === undefined ? undefined : openEventsFile(path);
  file?.write(renderEventsHeader(provenanceOf(plan, [])));
  return {
    add: (item) => {
      const { record, source, events = [], view } = item;
      if (isKept) kept.set(record, item);
      file?.write(renderSavedRun({ record, source, events, view }));
    },
    eventsOf: (run) => kept.get(run)?.events,
    viewOf: (run) => kept.get(run)?.view,
    save: (report, io) => file?.end(report, io) ?? true,
    drop: () => file?.drop(),
  };
}

/** Written beside its place and moved there at the end, so that half of it never lies in it. */
function openEventsFile(path: string) {
  const { made: draft, remove } = makeTemporary(
    () => writing(path, () => createDraft(path)),
    (made) => made.drop(),
  );
  const descriptor = writing(path, () => openSync(draft.path, 'w'));
  let failure: string | undefined;
  const attempt = (action: () => unknown) => {
    if (failure !== undefined) return;
    try {
      action();
    } catch (error) {
      failure = messageOf(toWriteError(path, error));
    }
  };
  const write = (text: string) => attempt(() => writeAll(descriptor, text));
  let isOpen = true;
  const drop = () => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
    remove();
  };
  return {
    write,
    drop,
    end: ({ unread }: Report, io: CliIo): boolean => {
      for (const input of unread) write(renderSavedUnread(input));
      attempt(() => draft.keep());
      drop();
      if (failure === undefined) printDone(io, `Events: ${shownText(path)}`);
      else printNote(io, failure);
      return failure === undefined;
    },
  };
}
