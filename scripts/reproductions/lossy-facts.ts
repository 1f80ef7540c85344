import type { Message, SummaryRequest } from '../../src/engine/index.ts';
import { createRandom } from '../../src/simulator/env.ts';
import type { PlantedFact } from '../../src/simulator/session/facts.ts';
import { findSummarizer } from '../../src/simulator/summarizer/summarizers.ts';

const METALS = ['copper', 'silver', 'golden', 'leaden', 'marble', 'velvet', 'wooden', 'paper'];
const CRITICALITIES = ['nice', 'should', 'must'] as const;
const VALUE_STEP = 7_919;

/** A line of a conversation, and the fact that it says. */
export interface FactLine {
  readonly fact: PlantedFact;
  readonly text: string;
}

/** So many facts, each said in one line of its own, of every criticality in turn. */
export function factLines(
  count: number,
  overrides: Partial<PlantedFact> = {},
): readonly FactLine[] {
  return Array.from({ length: count }, (_, index) => {
    const subject = `the ${METALS[index % METALS.length]} ledger number ${100 + index}`;
    const value = `cfg-${(VALUE_STEP * (index + 11)).toString(36)}x${index}q`;
    const fact: PlantedFact = {
      id: `fact-${index + 1}`,
      kind: 'id',
      subject,
      value,
      polarity: 'do',
      criticality: CRITICALITIES[index % CRITICALITIES.length] ?? 'nice',
      source: 'user',
      step: 1,
      posPct: (100 * index) / count,
      neededAt: [],
      ...overrides,
    };
    const text =
      fact.polarity === 'do'
        ? `The id of ${subject} is ${value}.`
        : `For ${subject}, never use ${value}.`;
    return { fact, text };
  });
}

/** Makes a summary of some lines. */
export type Summarise = (lines: readonly string[]) => readonly string[];

/** A scripted summarizer that loses each line with the same probability. */
export function createLossySummarise(keep: number, seed: number): Summarise {
  const summarizer = findSummarizer(`scripted:lossy=${keep}`);
  const tools = { countTokens: (text: string) => text.length, random: createRandom(seed) };
  return (lines) => {
    const answer = summarizer.summarise(requestOf(lines), tools);
    return answer.state === 'finished' ? answer.text.split('\n').filter((line) => line !== '') : [];
  };
}

function requestOf(lines: readonly string[]): SummaryRequest {
  const message: Message = {
    id: 'head',
    role: 'user',
    createdAt: 0,
    parts: [{ type: 'text', id: 'head-0', text: lines.join('\n') }],
  };
  return { system: '', messages: [message], prompt: '' };
}
