import * as copies from '../find-copies.ts';
import type { Session } from '../session.ts';
import { sampleSession, type SessionSample } from './sample-session.ts';
import { byKind, byTextKind, type Estimator } from './sample.ts';

/** Sizes of some sessions, with their repeats. */
export interface Gathering {
  readonly samples: readonly SessionSample[];
  readonly repeats: copies.Repeats;
  readonly own: ReadonlyMap<string, SessionSample>;
  readonly changed: readonly string[];
}

/** Gathers the sizes of sessions one by one, without keeping their texts. */
export interface Gatherer {
  add(session: Session): void;
  /** The gathered sizes. Only now is it known which sessions share messages; those are read again. */
  finish(readAgain: (names: ReadonlySet<string>) => Iterable<Session>): Gathering;
}

/** Creates an empty gatherer. */
export function createGatherer(estimator: Estimator): Gatherer {
  const samples: SessionSample[] = [];
  const candidates: copies.CopyCandidate[] = [];
  return {
    add: (session) => {
      samples.push(sampleSession(session, estimator));
      candidates.push(copies.toCopyCandidate(session));
    },
    finish: (readAgain) => {
      const repeats = copies.findRepeats(candidates);
      const shared = new Map(repeats.shared.map(({ name, messages }) => [name, messages]));
      const marksOf = new Map(candidates.map(({ name, marks }) => [name, marks.ofMessages]));
      const sampleOf = new Map(samples.map((sample) => [sample.name, sample]));
      const own = new Map<string, SessionSample>();
      for (const session of shared.size === 0 ? [] : readAgain(new Set(shared.keys()))) {
        const { name } = session;
        const [whole, messages] = [sampleOf.get(name), shared.get(name)];
        if (whole === undefined || messages === undefined) continue;
        const head = {
          ...session,
          messages: session.messages.slice(0, messages),
          recordedCompactions: session.recordedCompactions.filter(
            (compaction) => compaction.messageIndex < messages,
          ),
        };
        const marks = copies.markMessages(head).ofMessages;
        const isSame = marks.every((mark, index) => mark === marksOf.get(name)?.[index]);
        if (marks.length < messages || !isSame) continue;
        own.set(name, withoutHead(whole, sampleSession(head, estimator)));
      }
      const changed = [...shared.keys()].filter((name) => !own.has(name));
      return { samples, repeats, own, changed };
    },
  };
}

/** Samples without those of copies. */
export function countedSamples({ samples, repeats }: Pick<Gathering, 'samples' | 'repeats'>) {
  const copyNames = new Set(repeats.copies.map((copy) => copy.name));
  return samples.filter((sample) => !copyNames.has(sample.name));
}

function withoutHead(whole: SessionSample, head: SessionSample): SessionSample {
  const { gaps, reuse } = whole;
  return {
    ...whole,
    messages: whole.messages - head.messages,
    tokensByKind: byKind((kind) => whole.tokensByKind[kind] - head.tokensByKind[kind]),
    textTokens: byTextKind((kind) => rest(whole.textTokens[kind], head.textTokens[kind])),
    calls: rest(whole.calls, head.calls),
    turns: rest(whole.turns, head.turns),
    steps: rest(whole.steps, head.steps),
    gaps: {
      beforeUser: rest(gaps.beforeUser, head.gaps.beforeUser),
      model: rest(gaps.model, head.gaps.model),
      toolsAndModel: rest(gaps.toolsAndModel, head.gaps.toolsAndModel),
    },
    reuse: {
      reads: reuse.reads - head.reuse.reads,
      repeatedReads: reuse.repeatedReads - head.reuse.repeatedReads,
      rereads: rest(reuse.rereads, head.reuse.rereads),
      changes: rest(reuse.changes, head.reuse.changes),
    },
    compactions: rest(whole.compactions, head.compactions),
    growth: rest(whole.growth, head.growth),
  };
}

function rest<Item>(all: readonly Item[], first: readonly Item[]): readonly Item[] {
  return all.slice(first.length);
}
