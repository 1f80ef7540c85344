import { keepIn } from '../../lib/collections.ts';
import { findValue, indexText, type Occurrence, outside, type TextIndex } from './text-index.ts';
import { normaliseValue, variantsOf } from './words.ts';

/** The name of what a question asks for. */
export type ProbeKind = (typeof PROBE_KINDS)[number];

/** One question about a session; it is asked alone. */
export interface Probe {
  readonly id: string;
  readonly kind: ProbeKind;
  readonly question: string;
  /** Texts of which the answer must contain one; empty where the right answer is an abstention. */
  readonly accepted: readonly string[];
  /** Texts that the answer must not contain: past or forbidden values. */
  readonly refused: readonly string[];
  /** The sentence of the session that answers it; empty where none does. */
  readonly evidence: string;
}

/** The input of a reader: a text and one question. */
export interface ReaderPrompt {
  readonly system: string;
  /** Empty where the reader answers from its own knowledge. */
  readonly context: string;
  readonly question: string;
}

/** A reader's answer. A failed request is neither an answer nor a wrong one. */
export type ReaderAnswer =
  | { readonly state: 'answered'; readonly text: string }
  | { readonly state: 'failed'; readonly reason: string };

/** Answers a question from a text. */
export interface Reader {
  readonly name: string;
  /** Rejects only where no other question could be answered either. */
  answer(prompt: ReaderPrompt): Promise<ReaderAnswer>;
  /** The models that have answered so far, as their provider names them; absent where it is none. */
  models?(): readonly string[];
}

/** The name of what a reader sees. */
export type Condition = (typeof CONDITIONS)[number];

/** A text of a question, and its position in an answer. */
export interface Place {
  readonly value: string;
  readonly place: Occurrence;
}

/** Where a question's texts of each kind stand. */
type Places = Readonly<Record<'accepted' | 'refused', readonly Place[]>>;

/** Kinds of questions. */
export const PROBE_KINDS = [
  'recall',
  'artifact',
  'continuation',
  'decision',
  'staleness',
  'compliance',
  'abstention',
] as const;

/**
 * The contexts of a reader: nothing, the evidence alone, everything before the pivot, the context after it, or that without the
 * summary.
 */
export const CONDITIONS = ['none', 'oracle', 'full', 'compacted', 'tail'] as const;

/** The answer that readers give where the text does not tell. */
export const UNKNOWN_ANSWER = 'UNKNOWN';

/** The answer that readers give where the next call is forbidden. */
export const BLOCKED_ANSWER = 'BLOCKED';

/** The system prompt of every reader. */
export const READER_SYSTEM = `Answer the question from the conversation that you are given, with the value alone. Where the conversation does not tell, answer ${UNKNOWN_ANSWER}.`;

/** Every place of a question's texts of each kind, in any form; one that is a part of another does not count. */
export function findPlaces(
  index: TextIndex,
  { accepted, refused }: Pick<Probe, 'accepted' | 'refused'>,
): Places {
  const wanted = placesOf(index, accepted);
  const others = outside(placesOf(index, refused), wanted);
  return { accepted: outside(wanted, others), refused: others };
}

/** The first accepted and the first refused text of a question in a text. */
export function findTexts(
  index: TextIndex,
  probe: Pick<Probe, 'accepted' | 'refused'>,
): Readonly<Record<'accepted' | 'refused', string | undefined>> {
  const { accepted, refused } = findPlaces(index, probe);
  return { accepted: accepted[0]?.value, refused: refused[0]?.value };
}

/** A reader that searches: it answers with the value where the text contains it, else it abstains. A reader cannot find what it misses. */
export function createGrepReader(probes: readonly Probe[]): Reader {
  const byQuestion = new Map(probes.map((probe) => [probe.question, probe]));
  const indices = new Map<string, TextIndex>();
  const indexOf = (context: string) => keepIn(indices, context, () => indexText(context));
  return {
    name: 'grep',
    answer: async ({ context, question }) => {
      const probe = byQuestion.get(question);
      const text = probe === undefined ? UNKNOWN_ANSWER : search(probe, indexOf(context));
      return { state: 'answered', text };
    },
  };
}

function placesOf(index: TextIndex, values: readonly string[]): readonly Place[] {
  return values.flatMap((value) => {
    const own = normaliseValue(value);
    const forms = [own, ...variantsOf(own)].filter((form) => form !== '');
    return forms.flatMap((form) => findValue(index, form).map((place) => ({ value, place })));
  });
}

/** Who does not find the rule makes the usual call. */
function search(probe: Probe, index: TextIndex): string {
  const { accepted, refused } = findTexts(index, probe);
  if (probe.kind !== 'compliance') return accepted ?? UNKNOWN_ANSWER;
  return refused === undefined
    ? probe.refused.map((value) => `use("${value}")`).join(' ')
    : BLOCKED_ANSWER;
}
