import {
  type CopyCandidate,
  findRepeats,
  markMessages,
  type Repeats,
  toCopyCandidate,
} from '../find-copies.ts';
import type { Session } from '../session.ts';
import { sampleSession } from './sample-session.ts';
import {
  byTextKind,
  CONTENT_KINDS,
  type ContentKind,
  type Estimator,
  type SessionSample,
} from './sample.ts';

/** Sizes of some sessions, with their repeats. */
export interface Gathering {
  readonly samples: readonly SessionSample[];
  readonly repeats: Repeats;
  /** Samples of the own content of sessions that begin with messages of another, by name. */
  readonly own: ReadonlyMap<string, SessionSample>;
  /** Names of such sessions that changed before they were read again, so that their own content is unknown. */
  readonly changed: readonly string[];
}

/** Gathers the sizes of sessions one by one, without keeping their texts. */
export interface Gatherer {
  add(session: Session): void;
  /** The gathered sizes. Only now is it known which sessions share messages; those are read again. */
  finish(readAgain: (names: ReadonlySet<string>) => Iterable<Session>): Gathering;
}

/** An added session. */
interface Added {
  readonly sample: SessionSample;
  readonly candidate: CopyCandidate;
}

/** Context for sampling the sessions that are read again. */
interface Again {
  readonly added: readonly Added[];
  readonly shared: ReadonlyMap<string, Repeats['shared'][number]>;
  readonly estimator: Estimator;
}

/** Creates an empty gatherer. */
export function createGatherer(estimator: Estimator): Gatherer {
  const added: Added[] = [];
  return {
    add: (session) => {
      added.push({
        sample: sampleSession(session, estimator),
        candidate: toCopyCandidate(session),
      });
    },
    finish: (readAgain) => {
      const repeats = findRepeats(added.map(({ candidate }) => candidate));
      const shared = new Map(repeats.shared.map((beginning) => [beginning.name, beginning]));
      const again = shared.size === 0 ? [] : readAgain(new Set(shared.keys()));
      const own = sampleOwn(again, { added, shared, estimator });
      return {
        samples: added.map(({ sample }) => sample),
        repeats,
        own,
        changed: [...shared.keys()].filter((name) => !own.has(name)),
      };
    },
  };
}

/** Samples without those of copies. */
export function countedSamples({
  samples,
  repeats,
}: Pick<Gathering, 'samples' | 'repeats'>): readonly SessionSample[] {
  const copyNames = new Set(repeats.copies.map((copy) => copy.name));
  return samples.filter((sample) => !copyNames.has(sample.name));
}

/** Samples of the content that no other session holds, by name; sessions whose beginning changed are left out. */
function sampleOwn(
  sessions: Iterable<Session>,
  { added, shared, estimator }: Again,
): ReadonlyMap<string, SessionSample> {
  const byName = new Map(added.map((one) => [one.sample.name, one]));
  const own = new Map<string, SessionSample>();
  for (const session of sessions) {
    const { name } = session;
    const [before, messages] = [byName.get(name), shared.get(name)?.messages];
    if (before === undefined || messages === undefined) continue;
    const head = headOf(session, messages);
    if (head.messages.length < messages || !beginsWith(before.candidate, head)) continue;
    own.set(name, withoutHead(before.sample, sampleSession(head, estimator)));
  }
  return own;
}

function headOf(session: Session, messages: number): Session {
  return {
    ...session,
    messages: session.messages.slice(0, messages),
    recordedCompactions: session.recordedCompactions.filter(
      ({ messageIndex }) => messageIndex < messages,
    ),
  };
}

/** Compares the beginning of a session with that of its first reading. */
function beginsWith({ marks }: CopyCandidate, head: Session): boolean {
  const now = markMessages(head).ofMessages;
  return now.every((mark, index) => mark === marks.ofMessages[index]);
}

function withoutHead(whole: SessionSample, head: SessionSample): SessionSample {
  const { textTokens, gaps, reuse } = head;
  return {
    ...whole,
    messages: whole.messages - head.messages,
    tokensByKind: subtractKinds(whole.tokensByKind, head.tokensByKind),
    textTokens: byTextKind((kind) => rest(whole.textTokens[kind], textTokens[kind])),
    calls: rest(whole.calls, head.calls),
    turns: rest(whole.turns, head.turns),
    steps: rest(whole.steps, head.steps),
    gaps: {
      beforeUser: rest(whole.gaps.beforeUser, gaps.beforeUser),
      model: rest(whole.gaps.model, gaps.model),
      toolsAndModel: rest(whole.gaps.toolsAndModel, gaps.toolsAndModel),
    },
    reuse: {
      reads: whole.reuse.reads - reuse.reads,
      repeatedReads: whole.reuse.repeatedReads - reuse.repeatedReads,
      rereads: rest(whole.reuse.rereads, reuse.rereads),
      changes: rest(whole.reuse.changes, reuse.changes),
    },
    compactions: rest(whole.compactions, head.compactions),
    growth: rest(whole.growth, head.growth),
  };
}

function subtractKinds(
  whole: SessionSample['tokensByKind'],
  head: SessionSample['tokensByKind'],
): SessionSample['tokensByKind'] {
  const left: Record<ContentKind, number> = { ...whole };
  for (const kind of CONTENT_KINDS) left[kind] -= head[kind];
  return left;
}

function rest<Item>(all: readonly Item[], first: readonly Item[]): readonly Item[] {
  return all.slice(first.length);
}
