import { type Reader } from '../../../../src/simulator/metrics/probes/probe.ts';

/** An answer of that text. */
export const answered = (text: string) => ({ state: 'answered', text }) as const;
/** A reader that always says the same. */
export const saying = (text: string): Reader => ({
  name: 'fixed',
  answer: async () => answered(text),
});
/** A reader that cannot be asked. */
export const failing: Reader = {
  name: 'failing',
  answer: async () => ({ state: 'failed', reason: 'too many requests' }),
};
