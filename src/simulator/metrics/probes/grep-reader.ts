import { keepIn } from '../../lib/collections.ts';
import { indexText, type TextIndex } from '../quality/text/text-index.ts';
import { findTexts } from './find-texts.ts';
import { BLOCKED_ANSWER, type Probe, type Reader, UNKNOWN_ANSWER } from './probe.ts';

/**
 * A reader that knows what to search for: it answers with the value where that stands in the text, and says that it
 * does not know where it does not. What it misses, no reader can find.
 */
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

/** Who does not find the rule makes the usual call. */
function search(probe: Probe, index: TextIndex): string {
  const { accepted, refused } = findTexts(index, probe);
  if (probe.kind !== 'compliance') return accepted ?? UNKNOWN_ANSWER;
  return refused === undefined
    ? probe.refused.map((value) => `use("${value}")`).join(' ')
    : BLOCKED_ANSWER;
}
