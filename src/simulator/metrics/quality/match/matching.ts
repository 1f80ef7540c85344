import { firstAtLeast, keepIn } from '../../../lib/collections.ts';
import type { FactKind, PlantedFact } from '../../../session/facts.ts';
import type { Occurrence, TextIndex } from '../text/text-index.ts';
import { BAN_AFTER, BAN_BEFORE } from './ban-cues.ts';
import { type CueIndex, findCues, withoutParts } from './cue-index.ts';
import { CORRECTION, NEGATION_BEFORE, NEGATION_CLOSE } from './cues.ts';
import { DENIAL_AFTER, DENIAL_LAST, DENIAL_OF_SUBJECT } from './denial-cues.ts';
import { isDenied } from './denial.ts';
import { LIFTED } from './lifted-cues.ts';
import { findSubjects } from './longer-subjects.ts';
import { isForbidden } from './prohibition.ts';
import type { Anchor } from './subjects.ts';
import { findPastCues, type PastCues } from './told-past.ts';

/** A text, and what is looked up in it again and again. */
export interface Matching {
  readonly index: TextIndex;
  readonly past: PastCues;
  readonly corrections: CueIndex;
  readonly anchorsOf: (subject: string) => readonly Anchor[];
  /** The places that name a subject next to a word, in order; the others are farther away in every way. */
  readonly anchorsNear: (subject: string, word: number) => readonly Anchor[];
  /** First words of all places that name a subject of a kind, in order, each with the subject. */
  readonly anchorsOfKind: (kind: FactKind) => AnchorsOfKind;
  /** Whether a value is denied or not there as its fact has it; one that stands for itself says so itself. */
  readonly isSaidRight: (fact: PlantedFact, place: Occurrence) => boolean;
}

/** Places that name subjects of a kind, in order. */
interface AnchorsOfKind {
  readonly places: readonly number[];
  readonly subjects: readonly string[];
}

/** Places on each side of a word, of which one may reach over the next. */
const NEXT = 2;

/** Prepares a text for some facts. */
export function startMatching(index: TextIndex, facts: readonly PlantedFact[]): Matching {
  const { bans, denials } = findNegations(index);
  const anchors = findSubjects(index, facts);
  const byKind = new Map<FactKind, AnchorsOfKind>();
  const anchorsOf = (subject: string) => anchors.get(subject)?.all ?? [];
  return {
    index,
    past: findPastCues(index),
    corrections: findCues(index, CORRECTION),
    anchorsOf,
    anchorsNear: (subject, word) => {
      const { all, firsts } = anchors.get(subject) ?? { all: [], firsts: [] };
      const next = firstAtLeast(firsts, word);
      return all.slice(Math.max(0, next - NEXT), next + NEXT);
    },
    anchorsOfKind: (kind) => keepIn(byKind, kind, () => collectAnchors(facts, kind, anchorsOf)),
    isSaidRight: (fact, place) => {
      if (fact.subject === '') return true;
      return fact.polarity === 'dont'
        ? isForbidden(index, place, bans)
        : !isDenied(index, place, { fact, cues: denials });
    },
  };
}

/** Words of a text that deny something, but for those that others take back. */
function findNegations(index: TextIndex) {
  const lifted = findCues(index, LIFTED);
  const find = (pattern: RegExp) => withoutParts(findCues(index, pattern), lifted);
  const close = find(NEGATION_CLOSE);
  return {
    bans: { before: find(BAN_BEFORE), close, after: find(BAN_AFTER) },
    denials: {
      before: find(NEGATION_BEFORE),
      close,
      after: find(DENIAL_AFTER),
      last: find(DENIAL_LAST),
      ofSubject: find(DENIAL_OF_SUBJECT),
    },
  };
}

function collectAnchors(
  facts: readonly PlantedFact[],
  kind: FactKind,
  anchorsOf: Matching['anchorsOf'],
): AnchorsOfKind {
  const subjects = new Set(
    facts.flatMap((fact) => (fact.kind === kind && fact.subject !== '' ? [fact.subject] : [])),
  );
  const all = [...subjects].flatMap((subject) =>
    anchorsOf(subject).map(({ first }) => ({ first, subject })),
  );
  const sorted = all.toSorted((a, b) => a.first - b.first);
  return {
    places: sorted.map(({ first }) => first),
    subjects: sorted.map(({ subject }) => subject),
  };
}
