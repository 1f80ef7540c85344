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

/** A kind of planted fact. */
export type FactKind = (typeof FACT_KINDS)[number];

/** States of a task on a list. */
export const TODO_STATES = ['pending', 'in_progress', 'done', 'cancelled'] as const;

export type TodoState = (typeof TODO_STATES)[number];

/** Operations on a file that a planted fact may report. */
export const FILE_OPERATIONS = ['read', 'edit', 'create', 'delete', 'rename'] as const;

export type FileOperation = (typeof FILE_OPERATIONS)[number];

/** Roles of texts that need not be kept: a guessable answer, a look-alike of a fact, an order to omit one. */
export const FACT_ROLES = ['guessable', 'distractor', 'injection'] as const;

/** A fact of a session that a later step may need and that nobody can guess. */
export interface PlantedFact {
  /** `fact-1`, `fact-2`, … in the order of the session. */
  readonly id: string;
  /** Orders facts with one subject: the largest holds. Absent: the order of the list. */
  readonly serial?: number;
  /** Absent for facts that are to be kept. */
  readonly role?: (typeof FACT_ROLES)[number];
  /** The id of the fact that a distractor resembles, or that an injection wants left out. */
  readonly about?: string;
  readonly kind: FactKind;
  /** The thing the value belongs to, named in the same sentence. Empty where the value stands alone. */
  readonly subject: string;
  /** The literal string to be kept, exactly as it appears in the session. */
  readonly value: string;
  /** The sentence that states it, where a user's file gives it. */
  readonly sentence?: string;
  /** Other spellings of the value; absent if there are none. */
  readonly aliases?: readonly string[];
  /** `dont`: the sentence forbids the value. */
  readonly polarity: 'do' | 'dont';
  readonly criticality: 'must' | 'should' | 'nice';
  /** Weight among the facts; absent: by its criticality. */
  readonly weight?: number;
  /** The speaker: the user, the model, or the output of a tool. */
  readonly source: 'user' | 'assistant' | 'tool';
  /** The step that states it, counted from 1; for a user's fact, the step that answers. */
  readonly step: number;
  /** Its position in the session's content, in percent, to within a line or a sentence. */
  readonly posPct: number;
  /** The id of the fact with the same subject that this one replaces. */
  readonly supersedes?: string;
  /** The state of the task, for a `todo`. */
  readonly todoState?: TodoState;
  /** The operation on the file, for a `path`. */
  readonly operation?: FileOperation;
  /** Ids of facts it rests on; it no longer holds once one of them is replaced. */
  readonly dependsOn?: readonly string[];
  /** Later steps whose text or arguments use the value, in order. */
  readonly neededAt: readonly number[];
}
