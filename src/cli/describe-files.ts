import { quotedLong } from '../simulator/lib/names.ts';
import type { UnreadInput } from '../simulator/report/report.ts';
import { type Statistics, toStatistics } from '../simulator/report/statistics.ts';
import {
  createOpener,
  type LoadedSession,
  loadSessions,
  type SessionPlace,
} from '../simulator/session/load.ts';
import type { ImportReport, Session } from '../simulator/session/session.ts';
import {
  createGatherer,
  type Gatherer,
  type Gathering,
} from '../simulator/session/statistics/gathering.ts';
import type { Estimator } from '../simulator/session/statistics/sample.ts';
import { noteDropped, type RunInputs } from './inputs.ts';
import { type CliIo, isStopped } from './process/io.ts';
import { inTurn } from './process/progress.ts';

interface Reading {
  readonly inputs: RunInputs;
  readonly gatherer: Gatherer;
  /** Where each session stands, by its name. */
  readonly places: Map<string, SessionPlace>;
  readonly unread: UnreadInput[];
  /** Lines of read sessions that could not be read. */
  readonly dropped: ImportReport['dropped'][];
}

interface GatheredFiles {
  readonly gathering: Gathering;
  readonly unread: readonly UnreadInput[];
}

/** The statistics of the sessions in files; `undefined` if the user wanted to stop. */
export async function describeFiles(
  inputs: RunInputs,
  estimator: Estimator,
  io: CliIo,
): Promise<Statistics | undefined> {
  const read = await gatherFiles(inputs, estimator, io);
  return read && toStatistics(read.gathering, estimator, read.unread);
}

/** The sizes of the sessions in files; `undefined` if the user wanted to stop. */
export async function gatherFiles(
  inputs: RunInputs,
  estimator: Estimator,
  io: CliIo,
): Promise<GatheredFiles | undefined> {
  const gatherer = createGatherer(estimator);
  const reading: Reading = {
    inputs,
    gatherer,
    places: new Map(),
    unread: [...inputs.unread],
    dropped: [],
  };
  for (const file of inTurn(inputs.files, (path) => inputs.nameOf(path), io)) {
    await readFile(reading, file, io);
    if (io.signal.aborted) return undefined;
  }
  noteDropped(io, reading.dropped);
  const gathering = gatherer.finish((names) => readAgain(reading, names));
  return { gathering, unread: [...reading.unread, ...gathering.changed.map(toUnread)] };
}

/** The statistics of sessions that are at hand. */
export function describeSessions(sessions: readonly Session[], estimator: Estimator): Statistics {
  const gatherer = createGatherer(estimator);
  for (const session of sessions) gatherer.add(session);
  return toStatistics(
    gatherer.finish(() => sessions),
    estimator,
    [],
  );
}

/** The sessions of a file, until the user wants to stop. */
export async function* loadInTurn(
  file: string,
  io: CliIo,
): AsyncGenerator<LoadedSession, void, undefined> {
  for (const loaded of loadSessions([file])) {
    yield loaded;
    if (await isStopped(io)) return;
  }
}

async function readFile(reading: Reading, file: string, io: CliIo): Promise<void> {
  let index = 0;
  for await (const loaded of loadInTurn(file, io)) {
    addLoaded(reading, loaded, { file, index });
    index += 1;
  }
}

function addLoaded(
  { inputs, gatherer, places, unread, dropped }: Reading,
  loaded: LoadedSession,
  place: SessionPlace,
): void {
  if (loaded.state === 'unread') {
    unread.push({ file: inputs.nameOf(loaded.file), reason: loaded.reason });
    return;
  }
  const { session, range } = loaded;
  dropped.push(session.report.dropped);
  const name = inputs.nameOf(session.name);
  places.set(name, { ...place, ...(range && { range }) });
  gatherer.add({ ...session, name });
}

function* readAgain(
  { places }: Reading,
  names: ReadonlySet<string>,
): Generator<Session, void, void> {
  const opener = createOpener();
  for (const [name, place] of places) {
    const opened = names.has(name) ? opener.open(place) : undefined;
    if (opened?.state === 'read') yield { ...opened.session, name };
  }
}

function toUnread(changed: string): UnreadInput {
  const expected = `Expected ${quotedLong(changed)} to stay as it was while it was read`;
  return { file: changed, reason: `${expected}; what it shares is counted twice.` };
}
