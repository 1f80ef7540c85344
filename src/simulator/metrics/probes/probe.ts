/** What a question asks for. */
export const PROBE_KINDS = [
  'recall',
  'artifact',
  'continuation',
  'decision',
  'staleness',
  'compliance',
  'abstention',
] as const;

/** The name of what a question asks for. */
export type ProbeKind = (typeof PROBE_KINDS)[number];

/** One question about a session; it is asked alone. */
export interface Probe {
  readonly id: string;
  readonly kind: ProbeKind;
  readonly question: string;
  /** Texts of which one has to stand in the answer; none where the right answer is that nobody said so. */
  readonly accepted: readonly string[];
  /** Texts that must not stand in it: what held before, or what is forbidden. */
  readonly refused: readonly string[];
  /** The sentence of the session that answers it; empty where none does. */
  readonly evidence: string;
}

/** What a reader is given: a text, and one question. */
export interface ReaderPrompt {
  readonly system: string;
  /** Empty where it is to answer from what it knows. */
  readonly context: string;
  readonly question: string;
}

/** What a reader says; that it could not be asked is no answer, and no wrong one either. */
export type ReaderAnswer =
  | { readonly state: 'answered'; readonly text: string }
  | { readonly state: 'failed'; readonly reason: string };

/** What answers a question from a text. */
export interface Reader {
  readonly name: string;
  /** Rejects only where no other question could be answered either. */
  answer(prompt: ReaderPrompt): Promise<ReaderAnswer>;
  /** The models that have answered so far, as their provider names them; absent where it is none. */
  models?(): readonly string[];
}

/** What a reader sees: nothing, the evidence alone, all before the pivot, what is left after it, or that without the summary. */
export const CONDITIONS = ['none', 'oracle', 'full', 'compacted', 'tail'] as const;

/** The name of what a reader sees. */
export type Condition = (typeof CONDITIONS)[number];

/** What a reader is to say where the text does not tell. */
export const UNKNOWN_ANSWER = 'UNKNOWN';

/** What a reader is to say where the next call is forbidden. */
export const BLOCKED_ANSWER = 'BLOCKED';

/** What every reader is told first. */
export const READER_SYSTEM = `Answer the question from the conversation that you are given, with the value alone. Where the conversation does not tell, answer ${UNKNOWN_ANSWER}.`;
