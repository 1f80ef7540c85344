import { scoreText } from '../../src/simulator/metrics/quality/score-text.ts';
import { createLossySummarise, type FactLine, factLines, type Summarise } from './lossy-facts.ts';

/** Ways to compact again and again. Source: evaluation design, section 1.2. */
export const WAYS = ['brutal', 'incremental', 'frozen', 'frozenRanked'] as const;

/** The name of a way to compact again and again. */
export type WayName = (typeof WAYS)[number];

/** The outcome of a way at the end. */
export interface WayResult {
  /** Of all facts by weight, in all that is left. */
  readonly retention: number;
  /** How often a fact went through a summarizer, on average and at most. */
  readonly meanPasses: number;
  readonly mostPasses: number;
}

/** How much is said, and how much of it there is room for. */
export interface RepeatedOptions {
  readonly rounds: number;
  readonly factsPerRound: number;
  /** Lines that summaries may have together. */
  readonly budgetLines: number;
  /** Newest rounds that stay as they are, but for the way that summarises everything. */
  readonly tailRounds: number;
  /** With which probability a line survives a pass. */
  readonly keep: number;
}

/** Sixteen rounds, and room for half of what they say. */
export const REPEATED: RepeatedOptions = {
  rounds: 16,
  factsPerRound: 6,
  budgetLines: 48,
  tailRounds: 2,
  keep: 0.9,
};

/** A summary: its lines, the rounds that it stands for, and how often it was merged. */
interface Summary {
  readonly lines: readonly string[];
  readonly rounds: readonly number[];
  readonly level: number;
}

interface Memory {
  readonly summaries: readonly Summary[];
  readonly tail: readonly number[];
}

interface Bench extends RepeatedOptions {
  /** Summarises texts, and counts the pass for the rounds that they stand for. */
  readonly merge: (parts: readonly Pick<Summary, 'lines' | 'rounds'>[]) => Summary;
  readonly roundOf: (round: number) => Pick<Summary, 'lines' | 'rounds'>;
  readonly valueOf: (line: string) => number;
}

/** The weight of a fact; the lightest go first where there is no room. */
const WEIGHTS = { must: 3, should: 2, nice: 1 } as const;

type Way = (memory: Memory, bench: Bench) => Memory;

const ways: Readonly<Record<WayName, Way>> = {
  /** Everything is summarised again each time. */
  brutal: ({ summaries, tail }, { merge, roundOf }) => ({
    summaries: [merge([...summaries, ...tail.map(roundOf)])],
    tail: [],
  }),
  /** Rounds that leave the tail are folded into the last summary. */
  incremental: (memory, { merge, roundOf, tailRounds }) => {
    const { leaving, tail } = splitTail(memory, tailRounds);
    if (leaving.length === 0) return memory;
    return { summaries: [merge([...memory.summaries, ...leaving.map(roundOf)])], tail };
  },
  /** A round that leaves the tail gets a summary of its own, which stays as it is until there is no room. */
  frozen: (memory, { merge, roundOf, tailRounds, budgetLines }) => {
    const { leaving, tail } = splitTail(memory, tailRounds);
    const own = leaving.map((round) => merge([roundOf(round)]));
    return { summaries: dropOldest([...memory.summaries, ...own], budgetLines), tail };
  },
  /** The same, but two summaries of one size become one, and the least valuable lines go first. */
  frozenRanked: (memory, bench) => {
    const { leaving, tail } = splitTail(memory, bench.tailRounds);
    const own = leaving.map((round) => bench.merge([bench.roundOf(round)]));
    const summaries = balance([...memory.summaries, ...own], bench);
    return { summaries: dropLeastValuable(summaries, bench), tail };
  },
};

/** Says facts round by round, and compacts after each in one of the ways. */
export function compactRepeatedly(
  name: WayName,
  seed: number,
  options: RepeatedOptions = REPEATED,
): WayResult {
  const { rounds, factsPerRound, keep } = options;
  const lines = factLines(rounds * factsPerRound);
  const passes = Array.from({ length: rounds }, () => 0);
  const bench = createBench(lines, options, {
    passes,
    summarise: createLossySummarise(keep, seed),
  });
  let memory: Memory = { summaries: [], tail: [] };
  for (let round = 0; round < rounds; round++) {
    memory = ways[name]({ ...memory, tail: [...memory.tail, round] }, bench);
  }
  const left = [...memory.summaries, ...memory.tail.map(bench.roundOf)];
  const text = left.flatMap((part) => part.lines.map((line) => `- ${line}`)).join('\n');
  const { facts } = scoreText({ text, facts: lines.map(({ fact }) => fact) });
  return {
    retention: weigh(facts.filter(({ state }) => state === 'kept')) / weigh(facts),
    meanPasses: passes.reduce((sum, count) => sum + count, 0) / rounds,
    mostPasses: Math.max(...passes),
  };
}

function weigh(facts: readonly { readonly criticality: keyof typeof WEIGHTS }[]): number {
  return facts.reduce((total, { criticality }) => total + WEIGHTS[criticality], 0);
}

function createBench(
  lines: readonly FactLine[],
  options: RepeatedOptions,
  { passes, summarise }: { readonly passes: number[]; readonly summarise: Summarise },
): Bench {
  const { factsPerRound } = options;
  const values = new Map(lines.map(({ fact, text }) => [text, WEIGHTS[fact.criticality]]));
  return {
    ...options,
    merge: (parts) => {
      const rounds = parts.flatMap((part) => part.rounds);
      for (const round of rounds) passes[round] = (passes[round] ?? 0) + 1;
      return { lines: summarise(parts.flatMap((part) => part.lines)), rounds, level: 0 };
    },
    roundOf: (round) => ({
      lines: lines
        .slice(round * factsPerRound, (round + 1) * factsPerRound)
        .map(({ text }) => text),
      rounds: [round],
    }),
    valueOf: (line) => values.get(line) ?? 0,
  };
}

function splitTail({ tail }: Memory, tailRounds: number) {
  const from = Math.max(0, tail.length - tailRounds);
  return { leaving: tail.slice(0, from), tail: tail.slice(from) };
}

/** Two newest summaries of one level are summarised together, again and again. */
function balance(summaries: readonly Summary[], bench: Pick<Bench, 'merge'>): readonly Summary[] {
  const [older, newer] = summaries.slice(-2);
  if (older === undefined || newer === undefined || older.level !== newer.level) return summaries;
  const merged = { ...bench.merge([older, newer]), level: older.level + 1 };
  return balance([...summaries.slice(0, -2), merged], bench);
}

function dropOldest(summaries: readonly Summary[], budgetLines: number): readonly Summary[] {
  let left = budgetLines;
  return summaries
    .toReversed()
    .map((summary) => {
      const lines = left <= 0 ? [] : summary.lines.slice(-left);
      left -= lines.length;
      return { ...summary, lines };
    })
    .toReversed();
}

function dropLeastValuable(
  summaries: readonly Summary[],
  { budgetLines, valueOf }: Bench,
): readonly Summary[] {
  const all = summaries.flatMap(({ lines }) => lines);
  const kept = new Set(all.toSorted((a, b) => valueOf(b) - valueOf(a)).slice(0, budgetLines));
  return summaries.map((summary) => ({
    ...summary,
    lines: summary.lines.filter((line) => kept.has(line)),
  }));
}
