/** The kind of what a question asks for. */
export type ProbeKind = (typeof PROBE_KINDS)[number];

/** One question about a session; it is asked alone. */
export interface Probe {
  readonly id: string;
  readonly kind: ProbeKind;
  readonly question: string;
  readonly expected: Expected;
}

/** The right answer. */
export type Expected =
  /** One of the accepted texts, and none of the refused ones, which held before. */
  | {
      readonly type: 'text';
      readonly accepted: readonly string[];
      readonly refused: readonly string[];
    }
  /** A path, or as much of its end as names one file, which is at least `least`. */
  | { readonly type: 'path'; readonly path: string; readonly least: string }
  /** A tool with one of its targets: a path, or the beginning of a command. */
  | { readonly type: 'call'; readonly tool: string; readonly targets: readonly string[] }
  | { readonly type: 'permission'; readonly answer: Permission };

/** The answer to a question that asks if something may be done. */
export type Permission = 'ALLOWED' | 'FORBIDDEN';

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

/** Kinds of questions. */
export const PROBE_KINDS = ['value', 'file', 'decision', 'forbidden', 'next-step'] as const;

/** The contexts of a reader: everything before the compaction, what is left after it, and nothing. */
export const CONDITIONS = ['full', 'compacted', 'none'] as const;

/** The answer that readers give where the text does not tell. */
export const UNKNOWN_ANSWER = 'UNKNOWN';

/** The system prompt of every reader. */
export const READER_SYSTEM = `You are given the record of an agent's work on a task, or what is left of it, in <record> tags. Answer the question behind it in one line, with the answer alone. Where the record does not tell, give your best guess, or answer ${UNKNOWN_ANSWER}.`;

/** A context as it stands before a question. */
export function recordOf(context: string): string {
  return `<record>\n${context}\n</record>`;
}

/** The models that have answered so far, in one name. */
export function modelsOf(reader: Reader): string | undefined {
  return reader.models?.().join(' and ') || undefined;
}
