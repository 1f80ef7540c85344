import type { RunEvent } from '../../simulator/events.ts';
import {
  countRereads,
  recordFidelity,
  recordUncompared,
  type SessionFidelity,
} from '../../simulator/metrics/fidelity.ts';
import { type Catalog, readCatalog } from '../../simulator/provider/catalog.ts';
import { compileSession } from '../../simulator/replay/compile.ts';
import { runTrace } from '../../simulator/replay/run-trace.ts';
import type { Trace } from '../../simulator/replay/trace.ts';
import { predictSession } from '../../simulator/replay/predict.ts';
import { fidelityFormats, type FidelityReport } from '../../simulator/report/fidelity.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import { parseArm, settleArm } from '../../simulator/scenario/arms.ts';
import { mainStretch, type Setup, type SetupOf } from '../../simulator/setup/setup.ts';
import { describeCopy, findFileRepeats } from '../../simulator/session/find-copies.ts';
import type { ImportReport, Session } from '../../simulator/session/session.ts';
import { compileOptionsFor } from '../../simulator/sweep/run/prepare.ts';
import { decisionsOf, meetSetup } from '../../simulator/sweep/run/meet-setup.ts';
import { findSummarizer } from '../../simulator/summarizer/summarizers.ts';
import { createCounters } from '../../simulator/tokens/tokenizer.ts';
import { loadInTurn } from '../describe-files.ts';
import { findSessions, noInput, noteDropped, type RunInputs } from '../inputs.ts';
import { type CliIo, EXIT, settingFiles } from '../process/io.ts';
import { inTurn } from '../process/progress.ts';
import { defineCommand, reportOptions } from '../command.ts';
import { createSetupOf, recordedOf } from '../plan/defaults.ts';
import { catalogOption, DEFAULT_SUMMARIZER, demoOption, SESSION_INPUTS } from '../plan/options.ts';
import { originOf } from '../package.ts';

const EXAMPLES = `
Examples:
  $ compaction-bench sessions validate sessions/
  $ compaction-bench sessions validate 'logs/**/*.jsonl' --format json
  $ compaction-bench sessions validate session.jsonl --out fidelity.json

Exit codes: 3 where no session has usage to compare with, 1 where an input could not be read, 0 otherwise.`;

export const validateCommand = defineCommand({
  name: 'validate',
  describe: 'Compare predicted usage and compactions of recorded sessions with what was recorded.',
  arguments: { '[inputs...]': SESSION_INPUTS },
  options: { demo: demoOption, catalog: catalogOption, ...reportOptions(fidelityFormats) },
  examples: EXAMPLES,
  run: async ({ inputs }, options, { io, openReport }) => {
    const out = openReport(fidelityFormats, 'validate format');
    const catalog = readCatalog(options.catalog);
    const found = findSessions(inputs, options, io);
    out.checkInputs([...found.files, ...settingFiles(options)]);
    const setupOf = createSetupOf({ ...options, set: [] }, io.env);
    const report = await validateSessions({ catalog, setupOf, inputs: found }, io);
    if (report === undefined) return undefined;
    if (report.sessions.length === 0) throw noInput(report.unread);
    return out.finish(out.format(report, out.terminal), exitCodeOf(report));
  },
});

async function validateSessions(
  { catalog, setupOf, inputs }: { catalog: Catalog; setupOf: SetupOf; inputs: RunInputs },
  io: CliIo,
): Promise<FidelityReport | undefined> {
  const { files } = inputs;
  const nameOf = (path: string) => inputs.nameOf(path);
  const { copies } = await findFileRepeats(files, io.signal);
  const sessions: SessionFidelity[] = [];
  const unread: UnreadInput[] = [...inputs.unread];
  const dropped: ImportReport['dropped'][] = [];
  const pricesOf = (model: string) => catalog.models.get(model)?.prices;
  const counters = createCounters();
  const validate = async (session: Session): Promise<SessionFidelity> => {
    const copy = copies.get(session.name);
    const shown = { ...session, name: nameOf(session.name) };
    if (copy !== undefined) return recordUncompared(shown, describeCopy(copy, nameOf));
    const count = await counters.of(session.model ?? '');
    const steps = predictSession(session, { count, pricesOf });
    const isTold = steps.length > 0 || session.recordedCompactions.length > 0;
    return recordFidelity(shown, steps, isTold ? decide(session, count, setupOf) : undefined);
  };
  for (const file of inTurn(files, nameOf, io)) {
    for await (const loaded of loadInTurn(file, io)) {
      if (loaded.state === 'read') {
        dropped.push(loaded.session.report.dropped);
        sessions.push(await validate(loaded.session));
      } else unread.push({ file: nameOf(loaded.file), reason: loaded.reason });
    }
    if (io.signal.aborted) break;
  }
  if (io.signal.aborted) return undefined;
  noteDropped(io, dropped);
  // Whose tokens were counted.
  const models = sessions.flatMap(({ model, steps }) => (steps === 0 ? [] : (model ?? [])));
  return { sessions, unread, origin: originOf(catalog, models, {}) };
}

function decide(session: Session, count: (text: string) => number, setupOf: SetupOf) {
  const { evidence, file } = recordedOf(session);
  const setup = setupOf(evidence, file);
  const { id } = mainStretch(setup).model;
  const trace = compileSession(session, compileOptionsFor(id, count));
  return {
    decisions: decisionsOf(trace, setup) ?? [],
    ...(setup.preset && { preset: setup.preset }),
    ...countRereads(trace, runAtHalf(trace, setup)),
  };
}

/** Events of a run in which the agent's preset compacts at half the window; none where it never does, or there is no preset. */
function runAtHalf(trace: Trace, setup: Setup): readonly RunEvent[] {
  if (setup.preset === undefined) return [];
  const arm = parseArm(`${setup.preset} triggerFraction=0.5`);
  const { configured: _, ...recorded } = setup;
  const cell = { policy: arm.policy, model: mainStretch(setup).model, settings: {} };
  const met = meetSetup({ ...cell, onSetup: true as const }, recorded);
  const options = {
    policy: settleArm({ ...arm, policy: met.policy }, { limits: met.model.limits }),
    model: met.model,
    modelChanges: met.modelChanges,
    summarizer: findSummarizer(DEFAULT_SUMMARIZER),
    seed: 1,
  };
  // Needs take longer to find than a run.
  const blind = [...runTrace(trace, { ...options, isBlind: true })];
  return blind.some(({ type }) => type === 'pivot') ? [...runTrace(trace, options)] : [];
}

function exitCodeOf({ sessions, unread }: FidelityReport): number {
  if (sessions.every(({ steps }) => steps === 0)) return EXIT.inconclusive;
  return unread.length === 0 ? EXIT.done : EXIT.failed;
}
