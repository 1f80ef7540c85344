import { closeSync, openSync } from 'node:fs';
import { messageOf, badOption } from '../simulator/lib/errors.ts';
import { createDraft, toWriteError, writeAll, writing } from '../simulator/lib/files.ts';
import { named } from '../simulator/lib/names.ts';
import type { Finding } from '../simulator/metrics/diagnosis.ts';
import type { RunRecord } from '../simulator/metrics/record.ts';
import { armsOfPolicies } from '../simulator/report/arms.ts';
import { diagnosisLines, diagnosisOf } from '../simulator/report/diagnosis.ts';
import { shownText } from '../simulator/report/markup.ts';
import type { Report } from '../simulator/report/report.ts';
import type { FormatFacts } from '../simulator/report/run-formats.ts';
import { formats } from '../simulator/report/runs.ts';
import {
  renderEventsHeader,
  renderSavedRun,
  renderSavedUnread,
} from '../simulator/report/saved/events-file.ts';
import { verdictLines } from '../simulator/report/verdict-lines.ts';
import { conclude } from '../simulator/report/verdict.ts';
import type { RecordItem } from '../simulator/sweep/run-files.ts';
import { noteMisfits } from '../simulator/sweep/run/meet-setup.ts';
import {
  type Anonymiser,
  anonymiserFor,
  type Call,
  type OpenReport,
  type OptionsOf,
} from './command.ts';
import { findSessions, isScenario, noInput, type RunInputs } from './inputs.ts';
import { printEstimates, withSpent } from './plan/models.ts';
import { checkNoTexts, chooseTexts, describeUnnamed, type runOptions } from './plan/options.ts';
import { type LivePlan, planOver, toRun } from './plan/plan.ts';
import {
  checkApart,
  checkNoInput,
  checkOutPath,
  type CliIo,
  EXIT,
  printDone,
  printNote,
  printNotes,
  settingFiles,
} from './process/io.ts';
import { makeTemporary } from './process/out-folder.ts';
import { provenanceOf, runSessions } from './run-sessions.ts';

type RunOptions = OptionsOf<ReturnType<typeof runOptions>>;

/** Replays what `run` was given and reports on it; the exit code. */
export async function reportRuns(
  inputs: readonly string[],
  options: RunOptions,
  { io, given, out }: Call & { readonly out: OpenReport<FormatFacts> },
) {
  const scenarios = inputs.some(isScenario) ? await import('./plan/scenario.ts') : undefined;
  const scenario = scenarios?.findScenario(inputs, options);
  const asked = scenarios && scenario ? scenarios.withScenario(options, scenario, given) : options;
  const find = () =>
    scenarios && scenario && !options.demo
      ? scenarios.inputsOf(scenario)
      : findSessions(inputs, options, io);
  const { plan: all, found } = await planOver({ ...asked, control: true }, { find }, io);
  if (io.signal.aborted) return undefined;
  const plan = toRun(all);
  const { registry } = all.sources;
  checkPaths(options, found, out);
  const isKept = options.chart === true || out.format.needsEvents === true;
  const { withText, events } = options;
  if (options.anonymous) checkNoTexts(withText);
  const hasTexts = chooseTexts(withText, { isKept: isKept || events !== undefined });
  checkNamesOfFiles(
    withText,
    found.files.map((file) => found.nameOf(file)),
  );
  const names = await anonymiserFor(options);
  const records = createRunRecords(plan, names, { path: events, isKept });
  const blamed = new Map<Finding, string>();
  const onRecord = (item: RecordItem) => {
    if (!options.anonymous)
      for (const [finding, name] of item.blamed ?? []) blamed.set(finding, name);
    records?.add(item);
  };
  const report = await withSpent(registry, io, () =>
    runSessions({ ...plan, onRecord, keepsEvents: records !== undefined, hasTexts }, found, io),
  );
  if (report === undefined || report.runs.length === 0 || options.dryRun) records?.drop();
  if (report === undefined) return undefined;
  if (report.runs.length === 0) throw noInput(report.unread);
  if (options.dryRun) return printEstimates(io, registry, plan.summarizer.name);
  printNotes(io, [...(scenario?.notes ?? []), ...plan.notes, ...noteMisfits(report.runs)]);
  const unnamed = describeUnnamed(withText, report.runs);
  for (const note of unnamed) printNote(io, note);
  const shown = names.copy(report);
  const areSaved = records?.save(shown, io) ?? true;
  const { eventsOf, viewOf } = records ?? {};
  const view = { ...out.terminal, hasCharts: options.chart ?? false, eventsOf, viewOf, blamed };
  const hasFailed = report.unread.length > 0 || report.runs.some((run) => run.state === 'failed');
  const isWhole = areSaved && unnamed.length === 0 && !hasFailed;
  const verdict = [
    ...diagnosisLines(diagnosisOf(shown.runs), blamed).flat(),
    ...verdictLines(conclude(armsOfPolicies(shown.runs))),
  ];
  return out.finish(
    named('format', formats, out.name).render(shown, view),
    isWhole ? EXIT.done : EXIT.failed,
    verdict,
  );
}

export function checkNamesOfFiles(names: readonly string[] = [], files: readonly string[]): void {
  const paths = new Set(files);
  // Behind the path may be the place of the session in its file.
  const astray = names.filter(
    (name) => !paths.has(name) && !paths.has(name.replace(/#[^#]*$/, '')),
  );
  const [reason] = describeUnnamed(
    astray,
    files.map((session) => ({ session })),
  );
  if (reason !== undefined) throw badOption(reason);
}

function checkPaths(
  { out, events, ...options }: RunOptions,
  { files }: RunInputs,
  report: OpenReport<unknown>,
): void {
  const read = [...files, ...settingFiles(options)];
  report.checkInputs(read);
  if (events === undefined) return;
  checkOutPath(events, '--events');
  checkNoInput(events, read, { what: "'--events'" });
  if (out !== undefined) checkApart(out, events);
}

/** Kept in a file, for a picture, or both; `undefined` if nobody wants them. */
function createRunRecords(
  plan: LivePlan,
  names: Anonymiser,
  { path, isKept }: { path: string | undefined; isKept: boolean },
) {
  if (path === undefined && !isKept) return undefined;
  const kept = new Map<RunRecord, RecordItem>();
  const file = path === undefined ? undefined : openEventsFile(path);
  file?.write(renderEventsHeader(names.copy(provenanceOf(plan, []))));
  return {
    add: (told: RecordItem) => {
      const item = names.copy(told);
      const { record, source, events = [], view } = item;
      if (isKept) kept.set(record, item);
      file?.write(renderSavedRun({ record, source, events, view }));
    },
    eventsOf: (run: RunRecord) => kept.get(run)?.events,
    viewOf: (run: RunRecord) => kept.get(run)?.view,
    save: (report: Report, io: CliIo) => file?.end(report, io) ?? true,
    drop: () => file?.drop(),
  };
}

/** Moved to its place at the end, so that half of it never lies there. */
function openEventsFile(path: string) {
  const { made: draft, remove } = makeTemporary(
    () => writing(path, () => createDraft(path)),
    (made) => made.drop(),
  );
  let descriptor: number;
  try {
    descriptor = writing(path, () => openSync(draft.path, 'w'));
  } catch (error) {
    remove();
    throw error;
  }
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
    try {
      if (isOpen) closeSync(descriptor);
    } finally {
      isOpen = false;
      remove();
    }
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
