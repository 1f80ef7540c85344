import { isObject } from '../../lib/json.ts';
import * as copies from '../find-copies.ts';
import type { Session } from '../session.ts';
import { sampleSession, type SessionSample } from './sample-session.ts';
import type { Estimator } from './sample.ts';

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

/** Sums less those of the first part of a session, and lists without its items. */
function withoutHead<Value>(whole: Value, head: unknown): Value;
function withoutHead(whole: unknown, head: unknown): unknown {
  if (typeof whole === 'number' && typeof head === 'number') return whole - head;
  if (Array.isArray(whole) && Array.isArray(head)) return whole.slice(head.length);
  if (!isObject(whole) || !isObject(head)) return whole;
  return Object.fromEntries(
    Object.entries(whole).map(([key, value]) => [key, withoutHead(value, head[key])]),
  );
}
