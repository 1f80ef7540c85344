/** Facts planted in generated sessions. */

/** Subjects of planted facts. */
export const FACT_KINDS = [
  'goal',
  'constraint',
  'preference',
  'path',
  'symbol',
  'decision',
  'rationale',
  'rejected',
  'error',
  'id',
  'number',
  'command',
  'todo',
  'state',
] as const;

/** The name of a kind of facts. */
export type FactKind = (typeof FACT_KINDS)[number];

/** How far a task on a list has come. */
export const TODO_STATES = ['pending', 'in_progress', 'done', 'cancelled'] as const;

/** The state of a task on a list. */
export type TodoState = (typeof TODO_STATES)[number];

/** Operations on a file that a planted fact may report. */
export const FILE_OPERATIONS = ['read', 'edit', 'create', 'delete', 'rename'] as const;

/** One thing that may be done to a file. */
export type FileOperation = (typeof FILE_OPERATIONS)[number];

/**
 * Roles of planted texts that need not be kept: a guessable answer, a distractor that resembles a fact, or an injection that tells
 * the summarizer to omit one.
 */
export const FACT_ROLES = ['guessable', 'distractor', 'injection'] as const;

type FactRole = (typeof FACT_ROLES)[number];

/** Something that a session says and that a later step may need; nobody can guess its value. */
export interface PlantedFact {
  /** `fact-1`, `fact-2`, … in the order of the session. */
  readonly id: string;
  /** Of two facts about the same, the one with the larger number holds; absent: in the order of the list. */
  readonly serial?: number;
  /** Absent of what is to be kept. */
  readonly role?: FactRole;
  /** The id of the fact that a distractor resembles, or that an injection wants left out. */
  readonly about?: string;
  readonly kind: FactKind;
  /** The thing the value belongs to, named in the same sentence. Empty where the value stands alone. */
  readonly subject: string;
  /** The literal string to be kept, exactly as it appears in the session. */
  readonly value: string;
  /** Other ways to write the value that say the same; absent: none. */
  readonly aliases?: readonly string[];
  /** `dont`: the sentence says that the value is not to be used. */
  readonly polarity: 'do' | 'dont';
  readonly criticality: 'must' | 'should' | 'nice';
  /** How much it counts among others; absent: by its criticality. */
  readonly weight?: number;
  /** Who says it: the user, the model, or the output of a tool. */
  readonly source: 'user' | 'assistant' | 'tool';
  /** The step that says it, counted from 1; of a user, the step that answers. */
  readonly step: number;
  /** Where in the content of the session it stands, in percent, give or take a line or a sentence. */
  readonly posPct: number;
  /** The id of the fact that this one replaces; that has the same subject. */
  readonly supersedes?: string;
  /** How far the task has come, of a `todo`. */
  readonly todoState?: TodoState;
  /** The operation on the file, for a `path`. */
  readonly operation?: FileOperation;
  /** Ids of the facts on which it rests: it holds no longer once one of them is replaced. */
  readonly dependsOn?: readonly string[];
  /** Later steps whose text or arguments use the value, in order. */
  readonly neededAt: readonly number[];
}
