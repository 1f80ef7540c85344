/** How a turn ended otherwise than by the model's own will. */
export type EarlyFinish = 'length' | 'content-filter';

/** The names of such ends, by those of providers. */
const EARLY_FINISHES: ReadonlyMap<string | undefined, EarlyFinish> = new Map([
  ['content-filter', 'content-filter'],
  ['content_filter', 'content-filter'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content-filter'],
]);

/** Why an answer was cut off; `undefined` where it was not, or nothing says. */
export function toEarlyFinish(reason: string | undefined): EarlyFinish | undefined {
  return EARLY_FINISHES.get(reason);
}
