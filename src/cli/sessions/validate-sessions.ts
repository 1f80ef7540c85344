import {
  recordFidelity,
  recordUncompared,
  type SessionFidelity,
} from '../../simulator/metrics/session-fidelity.ts';
import type { Catalog } from '../../simulator/provider/catalog.ts';
import { predictSession } from '../../simulator/replay/predict/predict.ts';
import type { FidelityReport } from '../../simulator/report/fidelity/fidelity-report.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import { describeCopy, type GrowingCopy } from '../../simulator/session/repeats/copies.ts';
import { findFileRepeats } from '../../simulator/session/repeats/file-repeats.ts';
import type { LoadedSession } from '../../simulator/session/load.ts';
import type { ImportReport, Session } from '../../simulator/session/session.ts';
import type { Counters } from '../../simulator/tokens/counters.ts';
import { withCounters } from '../options/counters.ts';
import type { CliIo } from '../process/io.ts';
import { noteDropped } from '../inputs/note-dropped.ts';
import { loadInTurn } from '../inputs/load-in-turn.ts';
import { originOf } from '../run/origin.ts';
import { inTurn } from '../process/progress.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';

/** What sessions are validated against. */
interface ValidationContext {
  readonly catalog: Catalog;
  readonly inputs: RunInputs;
  readonly counters: Counters;
  /** Sessions that another one continues, by name. */
  readonly copies: ReadonlyMap<string, GrowingCopy>;
}

/** What one file gave. */
interface Findings {
  readonly sessions: SessionFidelity[];
  readonly unread: UnreadInput[];
}

/** The same with what could not be read of sessions that were. */
interface Tallied extends Findings {
  readonly dropped: ImportReport['dropped'][];
}

/** Compares every session with what is predicted of it; `undefined` if the user wanted to stop. */
export async function validateSessions(
  catalog: Catalog,
  inputs: RunInputs,
  io: CliIo,
): Promise<FidelityReport | undefined> {
  const { files } = inputs;
  const { copies } = findFileRepeats(files);
  const findings: Findings = { sessions: [], unread: [...inputs.unread] };
  const tallied: Tallied = { ...findings, dropped: [] };
  await withCounters(io, async (counters) => {
    const context = { catalog, inputs, counters, copies };
    for (const file of inTurn(files, (path) => inputs.nameOf(path), io)) {
      for await (const loaded of loadInTurn(file, io)) await addSession(tallied, loaded, context);
      if (io.signal.aborted) return;
    }
  });
  if (io.signal.aborted) return undefined;
  noteDropped(io, tallied.dropped);
  return { ...findings, origin: originOf(catalog, modelsOf(findings), {}) };
}

/** Whose tokens were counted. */
function modelsOf({ sessions }: Findings): readonly string[] {
  return sessions.flatMap(({ model, steps }) =>
    model === undefined || steps === 0 ? [] : [model],
  );
}

async function addSession(
  { sessions, unread, dropped }: Tallied,
  loaded: LoadedSession,
  context: ValidationContext,
): Promise<void> {
  if (loaded.state === 'read') {
    dropped.push(loaded.session.report.dropped);
    sessions.push(await validateSession(loaded.session, context));
  } else unread.push({ file: context.inputs.nameOf(loaded.file), reason: loaded.reason });
}

async function validateSession(
  session: Session,
  context: ValidationContext,
): Promise<SessionFidelity> {
  const { inputs } = context;
  const copy = context.copies.get(session.name);
  const shown = { ...session, name: inputs.nameOf(session.name) };
  if (copy !== undefined)
    return recordUncompared(
      shown,
      describeCopy(copy, (name) => inputs.nameOf(name)),
    );
  const count = await context.counters.of(session.model ?? '');
  const pricesOf = (model: string) => context.catalog.models.get(model)?.prices;
  return recordFidelity(shown, predictSession(session, { count, pricesOf }));
}
