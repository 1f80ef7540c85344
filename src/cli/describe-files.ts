import { quotedLong } from '../simulator/lib/names.ts';
import {
  createOpener,
  type LoadedSession,
  loadSessions,
  type SessionPlace,
} from '../simulator/session/load.ts';
import type { ImportReport } from '../simulator/session/session.ts';
import { createGatherer } from '../simulator/session/statistics/gathering.ts';
import type { Estimator } from '../simulator/session/statistics/sample.ts';
import { noteDropped, type RunInputs } from './inputs.ts';
import { type CliIo, isStopped } from './process/io.ts';
import { inTurn } from './process/progress.ts';

export async function gatherFiles(inputs: RunInputs, estimator: Estimator, io: CliIo) {
  const gatherer = createGatherer(estimator);
  const places = new Map<string, SessionPlace>();
  const unread = [...inputs.unread];
  const dropped: ImportReport['dropped'][] = [];
  for (const file of inTurn(inputs.files, (path) => inputs.nameOf(path), io)) {
    let index = -1;
    for await (const loaded of loadInTurn(file, io)) {
      index += 1;
      if (loaded.state === 'unread') {
        unread.push({ file: inputs.nameOf(loaded.file), reason: loaded.reason });
        continue;
      }
      const { session, range } = loaded;
      const name = inputs.nameOf(session.name);
      dropped.push(session.report.dropped);
      places.set(name, { file, index, ...(range && { range }) });
      gatherer.add({ ...session, name });
    }
    if (io.signal.aborted) return undefined;
  }
  noteDropped(io, dropped);
  const gathering = gatherer.finish((names) => readAgain(places, names));
  const changed = gathering.changed.map((file) => ({
    file,
    reason: `Expected ${quotedLong(file)} to stay as it was while it was read; what it shares is counted twice.`,
  }));
  return { gathering, unread: [...unread, ...changed] };
}

export async function* loadInTurn(
  file: string,
  io: CliIo,
): AsyncGenerator<LoadedSession, void, undefined> {
  for (const loaded of loadSessions([file])) {
    yield loaded;
    if (await isStopped(io)) return;
  }
}

function* readAgain(places: ReadonlyMap<string, SessionPlace>, names: ReadonlySet<string>) {
  const opener = createOpener();
  for (const [name, place] of places) {
    const opened = names.has(name) ? opener.open(place) : undefined;
    if (opened?.state === 'read') yield { ...opened.session, name };
  }
}
