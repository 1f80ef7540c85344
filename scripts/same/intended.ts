/** A difference that is wanted, and why. One of `text` and `output` says where. */
export interface Intended {
  readonly reason: string;
  /** Text that counts as the same on both sides wherever it is met. */
  readonly text?: RegExp;
  /** Names of outputs, as they are printed, that may differ altogether. */
  readonly output?: RegExp;
}

/** Wanted differences from the revisions that are still compared with. */
export const INTENDED: readonly Intended[] = [
  {
    reason: 'The scripts of the page stand in fewer files, in another order.',
    text: /^modules\['[\s\S]*?<\/script>/gm,
  },
  {
    reason: 'Markdown tables of summarizers align columns of words to the left.',
    text: /^\| --- \|(?: -{3}:? \|)+$/gm,
  },
  {
    reason: 'Redaction draws its filler from a table, and adds up no tokens.',
    output: /\bsession-\d+(?:\.\d+)?\.jsonl$/,
  },
];
