import type { RunRecord } from '../simulator/metrics/record.ts';
import { surroundingsOf } from '../simulator/replay/run-trace.ts';
import { buildProvenance } from '../simulator/report/provenance.ts';
import {
  type Report,
  SCHEMA_VERSION,
  type SessionBasis,
  type UnreadInput,
} from '../simulator/report/report.ts';
import { type RecordItem, runFiles, type RunItem } from '../simulator/sweep/run-files.ts';
import type { RunInputs } from './inputs.ts';
import { readVersion } from './package.ts';
import { toAdapterArm } from './plan/live.ts';
import type { LivePlan } from './plan/plan.ts';
import { type CliIo, isStopped } from './process/io.ts';
import { countsFolder } from './process/out-folder.ts';
import { type ShowProgress, withProgress } from './process/progress.ts';

export async function runSessions(
  {
    onRecord,
    keepsEvents = onRecord !== undefined,
    hasTexts,
    ...plan
  }: LivePlan & {
    onRecord?: ((item: RecordItem) => void) | undefined;
    keepsEvents?: boolean;
    hasTexts?: ((session: string) => boolean) | undefined;
  },
  inputs: RunInputs,
  io: CliIo,
): Promise<Report | undefined> {
  const runs: RunRecord[] = [];
  const unread: UnreadInput[] = [...inputs.unread];
  // All runs of a session share one.
  const bases = new Map<string, SessionBasis>();
  const addItem = (item: RunItem, show: ShowProgress) => {
    if (item.type === 'file-start') show(item);
    if (item.type === 'unread') unread.push(item.unread);
    if (item.type !== 'record') return;
    const { record, source } = item;
    const { session } = record;
    runs.push(record);
    if (source) bases.set(session, { session, ...source });
    onRecord?.(item);
  };
  const options = {
    files: inputs.written === undefined ? inputs.files : [],
    written: inputs.written,
    repeats: inputs.repeats,
    keptIn: countsFolder(io.cache ?? {}, io.env),
    policies: plan.policies,
    recorded: plan.recorded,
    adapter: toAdapterArm(plan.adapter, io),
    setupOf: plan.setupOf,
    onSetup: plan.onSetup,
    settings: plan.settings.values,
    ...surroundingsOf(plan),
    signal: io.signal,
    keepsEvents,
    hasTexts,
    nameOf: (path: string) => inputs.nameOf(path),
  };
  const isWhole = await withProgress(io, async (show) => {
    for await (const item of runFiles(options)) {
      addItem(item, show);
      if (await isStopped(io)) return false;
    }
    return true;
  });
  if (!isWhole) return undefined;
  const provenance = provenanceOf(plan, [...bases.values()]);
  return { schemaVersion: SCHEMA_VERSION, provenance, runs, unread };
}

export function provenanceOf(plan: LivePlan, sessions: readonly SessionBasis[]) {
  const { values, config } = plan.settings;
  return buildProvenance({
    ...plan,
    version: readVersion(),
    summarizer: plan.summarizer.name,
    settings: values,
    ...(config && { config }),
    sessions,
  });
}
