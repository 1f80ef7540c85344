import { createRandom } from '../../src/simulator/env.ts';
import { accountProbes, askProbes } from '../../src/simulator/metrics/probes/ask-probes.ts';
import {
  createGrepReader,
  type Probe,
  type Reader,
  UNKNOWN_ANSWER,
} from '../../src/simulator/metrics/probes/probe.ts';
import { buildProbes } from '../../src/simulator/metrics/probes/templates.ts';
import { createLossySummarise, type FactLine, factLines } from './lossy-facts.ts';

/** Shares of a context that were compacted, oldest first, and what a reader then recalled. Source: evaluation design, section 9.7, R7. */
export const PUBLISHED_RECALL: readonly (readonly [level: number, recall: number])[] = [
  [0, 0.788],
  [0.05, 0.725],
  [0.25, 0.588],
  [0.5, 0.438],
  [0.98, 0.075],
];

/** What the reader of that study recalls with nothing compacted. */
const RECALL_OF_ALL = 0.788;
/** What its summarizer leaves of a fact: little. */
const KEEP_FEW = 0.1;
/** Constraints that one summary leaves, as in the study of rules that rot. Source: evaluation design, section 9.7, R9. */
const KEEP_MOST = 0.7;

/** What a reader recalls where that share of a context was compacted. */
export async function recallAt(level: number, facts: number, seed: number): Promise<number> {
  const lines = factLines(facts);
  const cut = Math.round(level * facts);
  const texts = lines.map(({ text }) => text);
  const summary = createLossySummarise(KEEP_FEW, seed)(texts.slice(0, cut));
  const found = await ask(lines, [...summary, ...texts.slice(cut)], (probes) =>
    overlooking(createGrepReader(probes), createRandom(seed)),
  );
  return accountProbes(found).accuracy.compacted ?? 0;
}

/** How often the next call breaks a rule that was given early. */
export interface Violations {
  /** With the rule still in its place. */
  readonly visible: number;
  readonly compacted: number;
  /** Where the rules stand apart from what is summarised. */
  readonly pinned: number;
  /** Of those rules alone that the summary kept. */
  readonly whereKept: number;
}

/** Breaks of rules before and after one compaction, with and without a pin. */
export async function violationsOf(rules: number, seed: number): Promise<Violations> {
  const lines = factLines(rules, { kind: 'constraint', polarity: 'dont', criticality: 'must' });
  const texts = lines.map(({ text }) => text);
  const summary = createLossySummarise(KEEP_MOST, seed)(texts);
  const compacted = await ask(lines, summary, createGrepReader);
  const pinned = await ask(lines, [...texts, ...summary], createGrepReader);
  const kept = compacted.filter(({ isLeft }) => isLeft);
  return {
    visible: 1 - (accountProbes(compacted).accuracy.full ?? 0),
    compacted: 1 - (accountProbes(compacted).accuracy.compacted ?? 0),
    pinned: 1 - (accountProbes(pinned).accuracy.compacted ?? 0),
    whereKept: 1 - (accountProbes(kept).accuracy.compacted ?? 0),
  };
}

async function ask(
  lines: readonly FactLine[],
  left: readonly string[],
  readerOf: (probes: readonly Probe[]) => Reader,
) {
  const full = lines.map(({ text }) => text).join('\n');
  const facts = lines.map(({ fact }) => fact);
  const probes = buildProbes({ facts, atStep: 1, text: full, mostOfKind: facts.length });
  const contexts = { full, compacted: left.join('\n'), tail: '' };
  const { results } = await askProbes(probes, { reader: readerOf(probes), contexts });
  return results;
}

/** A reader that overlooks some of what is there, the same questions whatever it reads. */
function overlooking(reader: Reader, random: () => number): Reader {
  const seen = new Map<string, boolean>();
  return {
    name: 'overlooking',
    answer: async (prompt) => {
      const sees = seen.get(prompt.question) ?? random() < RECALL_OF_ALL;
      seen.set(prompt.question, sees);
      return sees ? reader.answer(prompt) : { state: 'answered', text: UNKNOWN_ANSWER };
    },
  };
}
