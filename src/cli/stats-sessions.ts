import type { Evidence } from '../simulator/events.ts';
import type { UnreadInput } from '../simulator/report/report.ts';
import type { StatisticsReport } from '../simulator/report/statistics/statistics-report.ts';
import { quotedLong } from '../simulator/names.ts';
import { type CopyCandidate, toCopyCandidate } from '../simulator/session/copies.ts';
import type { LoadedSession } from '../simulator/session/load.ts';
import { createOpener, type SessionPlace } from '../simulator/session/opener.ts';
import { findRepeats, type Repeats } from '../simulator/session/repeats.ts';
import { markMessages } from '../simulator/session/marks.ts';
import type { Session } from '../simulator/session/session.ts';
import type { Estimator } from '../simulator/session/statistics/estimator.ts';
import { figuresOf } from '../simulator/session/statistics/figures.ts';
import { groupBy } from '../simulator/session/statistics/group-by.ts';
import { headOf, withoutHead } from '../simulator/session/statistics/own-sample.ts';
import { poolSamples } from '../simulator/session/statistics/pool.ts';
import type { SessionSample } from '../simulator/session/statistics/sample.ts';
import { sampleSession } from '../simulator/session/statistics/sample-session.ts';
import { tokenizerOf } from '../simulator/tokens/tokenizer-of.ts';
import type { CliIo } from './io.ts';
import { touchOf } from '../simulator/summarizer/extractive/file-touch.ts';
import { loadInTurn } from './load-in-turn.ts';
import { createProgress } from './progress.ts';
import type { RunInputs } from './run-inputs.ts';

/** Sizes of sessions, gathered one after another. */
export interface Gathering {
  readonly samples: readonly SessionSample[];
  readonly repeats: Repeats;
  /** By name, of sessions that begin with messages of another one: what stands in them alone. */
  readonly own: ReadonlyMap<string, SessionSample>;
  readonly unread: readonly UnreadInput[];
}

interface Growing {
  readonly samples: SessionSample[];
  readonly candidates: CopyCandidate[];
  /** Where each session stands, by its name. */
  readonly places: Map<string, SessionPlace>;
  readonly unread: UnreadInput[];
}

interface Looking {
  readonly inputs: RunInputs;
  readonly estimator: Estimator;
  readonly place: SessionPlace;
}

/** Gathers the sizes of every session; `undefined` if the user wanted to stop. */
export async function gatherFiles(
  inputs: RunInputs,
  estimator: Estimator,
  io: CliIo,
): Promise<Gathering | undefined> {
  const growing: Growing = {
    samples: [],
    candidates: [],
    places: new Map(),
    unread: [...inputs.unread],
  };
  const { files } = inputs;
  const progress = createProgress(io);
  try {
    for (const [index, file] of files.entries()) {
      progress.start({ file: inputs.nameOf(file), index, total: files.length });
      let place: SessionPlace = { file, index: 0 };
      for await (const loaded of loadInTurn(file, io)) {
        addLoaded(growing, loaded, { inputs, estimator, place });
        place = { file, index: place.index + 1 };
      }
      if (io.signal.aborted) return undefined;
    }
  } finally {
    progress.stop();
  }
  return toGathering(growing, (names) => openAgain(growing, names), estimator);
}

/** Gathers the sizes of sessions that are at hand. */
export function gatherSessions(sessions: readonly Session[], estimator: Estimator): Gathering {
  const growing: Growing = { samples: [], candidates: [], places: new Map(), unread: [] };
  for (const session of sessions) gatherSession(growing, session, estimator);
  return toGathering(growing, () => sessions, estimator);
}

/** The statistics of what was gathered; of growing copies, the longest counts, and what sessions share counts once. */
export function toStatistics(
  { samples, repeats, own, unread }: Gathering,
  { name }: Estimator,
): StatisticsReport {
  const copyNames = new Set(repeats.copies.map((copy) => copy.name));
  const counted = samples.filter((sample) => !copyNames.has(sample.name));
  const pool = (some: readonly SessionSample[]) =>
    poolSamples(
      some,
      name,
      some.map((sample) => own.get(sample.name) ?? sample),
    );
  const byFormat = groupBy(counted, ({ format }) => format);
  return {
    estimator: { name, evidence: evidenceOf(counted, name) },
    overall: pool(counted),
    byFormat: Object.fromEntries([...byFormat].map(([format, some]) => [format, pool(some)])),
    sessions: counted.map(figuresOf),
    ...repeats,
    unread,
  };
}

function addLoaded(
  growing: Growing,
  loaded: LoadedSession,
  { inputs, estimator, place }: Looking,
): void {
  if (loaded.state === 'unread') {
    growing.unread.push({ file: inputs.nameOf(loaded.file), reason: loaded.reason });
    return;
  }
  const { session, range } = loaded;
  const name = inputs.nameOf(session.name);
  growing.places.set(name, { ...place, ...(range && { range }) });
  gatherSession(growing, { ...session, name }, estimator);
}

function gatherSession(
  { samples, candidates }: Growing,
  session: Session,
  estimator: Estimator,
): void {
  samples.push(sampleSession(session, { estimator, touchOf }));
  candidates.push(toCopyCandidate(session));
}

/** What sessions share is known only when all are read; those that begin with it are looked at again. */
function toGathering(
  { samples, candidates, unread }: Growing,
  sessionsOf: (names: ReadonlySet<string>) => Iterable<Session>,
  estimator: Estimator,
): Gathering {
  const repeats = findRepeats(candidates);
  const shared = new Map(repeats.shared.map(({ name, messages }) => [name, messages]));
  const wholes = new Map(samples.map((sample) => [sample.name, sample]));
  const known = new Map(candidates.map((candidate) => [candidate.name, candidate]));
  const own = new Map<string, SessionSample>();
  for (const session of shared.size === 0 ? [] : sessionsOf(new Set(shared.keys()))) {
    const { name } = session;
    const [whole, candidate, messages] = [wholes.get(name), known.get(name), shared.get(name)];
    if (whole === undefined || candidate === undefined || messages === undefined) continue;
    const head = headOf(session, messages);
    if (head.messages.length < messages || !beginsWith(candidate, head)) continue;
    own.set(name, withoutHead(whole, sampleSession(head, { estimator, touchOf })));
  }
  const lost = [...shared.keys()].filter((name) => !own.has(name)).map(toChanged);
  return { samples, repeats, own, unread: [...unread, ...lost] };
}

/** Whether a session that was looked at before begins as it does now. */
function beginsWith({ marks }: CopyCandidate, head: Session): boolean {
  const now = markMessages(head).ofMessages;
  return now.every((mark, index) => mark === marks.ofMessages[index]);
}

function toChanged(name: string): UnreadInput {
  const expected = `Expected ${quotedLong(name)} to stay as it was while it was read`;
  return { file: name, reason: `${expected}; what it shares is counted twice.` };
}

/** The sessions of some names, each from its own part of its file where it has one. */
function* openAgain(
  { places }: Growing,
  names: ReadonlySet<string>,
): Generator<Session, void, void> {
  const opener = createOpener();
  for (const [name, place] of places) {
    const opened = names.has(name) ? opener.open(place) : undefined;
    if (opened?.state === 'read') yield { ...opened.session, name };
  }
}

/** A count is measured only where every session's model is known to count so. */
function evidenceOf(samples: readonly SessionSample[], name: Estimator['name']): Evidence {
  const isOwn = samples.every(({ model = '' }) => {
    const own = tokenizerOf(model);
    return own.name === name && own.evidence === 'measured';
  });
  return isOwn && samples.length > 0 ? 'measured' : 'estimated';
}
