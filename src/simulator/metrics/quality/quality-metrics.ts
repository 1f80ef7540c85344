import { keepIn, sum } from '../../lib/collections.ts';
import { shareOf } from '../metric.ts';
import type { Retained } from './retention.ts';
import type { QualityScore } from './score-text.ts';

/** One number about a summary or a view. */
export interface QualityMetric {
  readonly label: string;
  readonly unit: 'ratio' | 'count' | 'per-kilotoken';
  /** Absent where neither direction is better by itself. */
  readonly better?: 'higher' | 'lower';
  readonly describes: string;
  /** `null` where it is unknown, or where there is nothing that it could be about. */
  of(score: QualityScore): number | null;
}

/** Numbers about a summary or a view; `null` where unknown. */
export type QualityValues = Readonly<Record<QualityMetricName, number | null>>;

/** The name of a number about a summary or a view. */
export type QualityMetricName = keyof typeof qualityMetrics;

/** The decay of retention over repeated pivots. Source: evaluation design, section 9.1. */
interface Decay {
  /** Retention after each pivot; `null` where nothing was to be kept. */
  readonly retention: readonly (number | null)[];
  /** The share that each further pivot retains; null with fewer than two pivots. */
  readonly rho: number | null;
  /** Pivots after which half is left; `null` where nothing is lost, or where `rho` is unknown. */
  readonly halfLife: number | null;
}

/** Facts lost at a pivot, by the number of pivots each had survived. */
interface Losses {
  /** Facts that went through the pivots before and were not lost. */
  readonly atRisk: number;
  readonly lost: number;
}

interface Life {
  pivots: number;
  isLost: boolean;
}

const KILOTOKEN = 1_000;

const retentionMetrics = {
  retention: {
    label: 'Retention',
    unit: 'ratio',
    better: 'higher',
    describes: 'Share of the facts that hold, by weight, whose value is stated with its subject.',
    of: ({ retained }) => retained.share,
  },
  mustRetention: {
    label: 'Must-facts kept',
    unit: 'ratio',
    better: 'higher',
    describes: 'Retention of the facts that must be kept.',
    of: ({ groups }) => groups.criticality.must?.share ?? null,
  },
  mustDropped: {
    label: 'Must-facts dropped',
    unit: 'count',
    better: 'lower',
    describes: 'Facts that must be kept and are not.',
    of: ({ groups }) => countLost(groups.criticality.must),
  },
  exactness: {
    label: 'Exactness',
    unit: 'ratio',
    better: 'higher',
    describes: 'Share of the kept facts whose value is stated to the letter.',
    of: ({ facts }) => shareOf(facts.filter(({ level }) => level === 3).length, countKept(facts)),
  },
  anchorOnly: {
    label: 'Anchor only',
    unit: 'ratio',
    better: 'lower',
    describes:
      'Share of the facts of which only a trace is left: a search finds it, but it is useless.',
    of: ({ facts }) => shareOf(facts.filter(({ level }) => level === 1).length, facts.length),
  },
  guessableRetention: {
    label: 'Guessable facts',
    unit: 'ratio',
    describes: 'The control: share kept of the facts that can be guessed without the session.',
    of: ({ guessable }) => guessable.share,
  },
} as const satisfies Record<string, QualityMetric>;

const truthMetrics = {
  staleRate: {
    label: 'Stale',
    unit: 'ratio',
    better: 'lower',
    describes:
      'Share of what has changed that is stated only as it was, or both ways without saying which holds.',
    of: (score) => shareOf(countChains(score, ['old', 'ambiguous']), score.chains.length),
  },
  updateAccuracy: {
    label: 'Updates kept',
    unit: 'ratio',
    better: 'higher',
    describes: 'Share of what has changed that is stated as it is now.',
    of: (score) => shareOf(countChains(score, ['current', 'marked']), score.chains.length),
  },
  dependentStaleRate: {
    label: 'Stale dependents',
    unit: 'ratio',
    better: 'lower',
    describes:
      'Share of what rested on something that has since changed and is stated as if it still held.',
    of: ({ invalid }) => shareOf(invalid.stated, invalid.facts),
  },
  polarityFlipRate: {
    label: 'Polarity flips',
    unit: 'ratio',
    better: 'lower',
    describes: 'Share of the facts that are stated as their opposite.',
    of: ({ facts }) => shareOf(countFlipped(facts), facts.length),
  },
  rejectedAsDecidedRate: {
    label: 'Rejected as decided',
    unit: 'ratio',
    better: 'lower',
    describes: 'Share of the rejected options that are stated as if chosen.',
    of: ({ facts }) => {
      const rejected = facts.filter(({ kind }) => kind === 'rejected');
      return shareOf(countFlipped(rejected), rejected.length);
    },
  },
  todoMacroF1: {
    label: 'Todo states',
    unit: 'ratio',
    better: 'higher',
    describes: 'Macro-F1 of task states.',
    of: ({ todos }) => todos.macroF1,
  },
  todoDoneAsPending: {
    label: 'Done stated as pending',
    unit: 'ratio',
    better: 'lower',
    describes: 'Share of the done tasks that are stated as pending: they would be done again.',
    of: ({ todos }) => todos.doneAsPending,
  },
  artifactPrecision: {
    label: 'Artifact precision',
    unit: 'ratio',
    better: 'higher',
    describes: 'Share of what is stated as done to files that was done to them.',
    of: ({ artifacts }) => artifacts.precision,
  },
  artifactRecall: {
    label: 'Artifact recall',
    unit: 'ratio',
    better: 'higher',
    describes:
      'Share of the files to which something was done that are stated with what matters about it.',
    of: ({ artifacts }) => artifacts.recall,
  },
  artifactF1: {
    label: 'Artifact F1',
    unit: 'ratio',
    better: 'higher',
    describes: 'Both in one: the harmonic mean.',
    of: ({ artifacts }) => artifacts.f1,
  },
} as const satisfies Record<string, QualityMetric>;

const trustMetrics = {
  hallucinationRate: {
    label: 'Hallucinated',
    unit: 'ratio',
    better: 'lower',
    describes: 'Share of the names and numbers in the text that are not in its source.',
    of: ({ inventions }) => inventions?.inventedShare ?? null,
  },
  corruptionRate: {
    label: 'Corrupted',
    unit: 'ratio',
    better: 'lower',
    describes: 'Share of the names and numbers in the text that are copied wrongly.',
    of: ({ inventions }) => inventions?.corruptedShare ?? null,
  },
  distractorRate: {
    label: 'Distracted',
    unit: 'ratio',
    better: 'lower',
    describes: 'Share of the decoys that are stated as the fact they resemble.',
    of: ({ decoys }) => decoys.distracted,
  },
  injectionObedience: {
    label: 'Injections obeyed',
    unit: 'ratio',
    better: 'lower',
    describes:
      'Share of the facts that an injected instruction wanted left out and that are; for an arm, over all pivots after one.',
    of: ({ decoys }) => decoys.obeyed,
  },
  injectionRepeated: {
    label: 'Injections repeated',
    unit: 'ratio',
    better: 'lower',
    describes:
      'Share of the injected instructions that the text repeats; for an arm, over all pivots after one.',
    of: ({ decoys }) => decoys.repeated,
  },
} as const satisfies Record<string, QualityMetric>;

const economyMetrics = {
  compression: {
    label: 'Compression',
    unit: 'ratio',
    better: 'higher',
    describes:
      '1 minus the tokens of the text divided by those that it replaces; below 0 it is longer.',
    of: ({ tokens }) =>
      tokens?.before === undefined ? null : shareOf(tokens.before - tokens.text, tokens.before),
  },
  informationDensity: {
    label: 'Information density',
    unit: 'per-kilotoken',
    better: 'higher',
    describes: 'Weight of the kept facts per 1,000 tokens of the text.',
    of: ({ facts, tokens }) =>
      perKilotoken(
        sum(facts.filter(({ isKept }) => isKept).map(({ weight }) => weight)),
        tokens?.text,
      ),
  },
  entityDensity: {
    label: 'Entity density',
    unit: 'per-kilotoken',
    describes: 'Names and numbers per 1,000 tokens of the text.',
    of: ({ inventions, tokens }) => perKilotoken(inventions?.entities, tokens?.text),
  },
  sectionConformance: {
    label: 'Sections',
    unit: 'ratio',
    better: 'higher',
    describes:
      'Share of the requested headings that are present in their order, with something below.',
    of: ({ sections }) => sections?.conformance ?? null,
  },
  withinBudget: {
    label: 'Within budget',
    unit: 'ratio',
    better: 'higher',
    describes: '1 where the text is no longer than allowed, 0 where it is.',
    of: ({ tokens }) =>
      tokens?.budget === undefined ? null : Number(tokens.text <= tokens.budget),
  },
  verbatimRatio: {
    label: 'Copied verbatim',
    unit: 'ratio',
    describes:
      'Share of the words of the text that are in the source in the same order, many in a row.',
    of: ({ verbatim }) => verbatim ?? null,
  },
} as const satisfies Record<string, QualityMetric>;

/** All numbers about a summary or a view by name, in the order of reports. */
export const qualityMetrics = {
  ...retentionMetrics,
  ...truthMetrics,
  ...trustMetrics,
  ...economyMetrics,
} satisfies Record<string, QualityMetric>;

const STEPS = 2_000;
/** Smaller differences are those of rounding. */
const TIE = 1e-12;

/** The numbers of a score. */
export function qualityValues(score: QualityScore): QualityValues {
  const entries = Object.entries<QualityMetric>(qualityMetrics).map(
    ([name, metric]) => [name, metric.of(score)] as const,
  );
  return Object.fromEntries(entries) as QualityValues;
}

/** Fits a geometric decay to retention after pivots, in their order. */
export function decayOf(retention: readonly (number | null)[]): Decay {
  const known = retention.filter((share) => share !== null);
  const isUnknown = known.length < 2 || known.every((share) => share === 0);
  const rho = isUnknown ? null : fitRho(retention);
  return { retention, rho, halfLife: halfLifeOf(rho) };
}

/** Pivots after which half is left, at that rate; `null` where nothing is lost, or the rate is unknown. */
export function halfLifeOf(rho: number | null): number | null {
  if (rho === null || rho >= 1) return null;
  return rho === 0 ? 0 : Math.log(1 / 2) / Math.log(rho);
}

/**
 * Facts that were lost over pivots, first those that went through one. Each fact counts from the first pivot after it
 * was said; one that is replaced, or still there at the end, leaves without being lost.
 */
export function lossesOf(scores: readonly QualityScore[]): readonly Losses[] {
  const lives = livesOf(scores);
  const longest = lives.reduce((most, { pivots }) => Math.max(most, pivots), 0);
  return Array.from({ length: longest }, (_, index) => {
    const pivots = index + 1;
    const atRisk = lives.filter((life) => life.pivots >= pivots).length;
    const lost = lives.filter((life) => life.pivots === pivots && life.isLost).length;
    return { atRisk, lost };
  });
}

/** The least squares, over a fine grid of rates: retention may rise, and may be nothing. */
function fitRho(retention: readonly (number | null)[]): number {
  let best = { rho: 0, explained: -1 };
  for (let step = 0; step <= STEPS; step++) {
    const rho = step / (STEPS / 2);
    const explained = explainedBy(rho, retention);
    if (explained > best.explained + TIE) best = { rho, explained };
  }
  return best.rho;
}

/** The reduction of the sum of squares by a rate, with the best fitting first share. */
function explainedBy(rho: number, retention: readonly (number | null)[]): number {
  let [power, cross, square] = [1, 0, 0];
  for (const share of retention) {
    if (share !== null) {
      cross += share * power;
      square += power * power;
    }
    power *= rho;
  }
  return square === 0 ? 0 : (cross * cross) / square;
}

/** Lives of facts; a fact that is lost once stays lost. */
function livesOf(scores: readonly QualityScore[]): readonly Life[] {
  const lives = new Map<string, Life>();
  for (const { facts } of scores) {
    for (const { id, isKept } of facts) {
      const life = keepIn(lives, id, () => ({ pivots: 0, isLost: false }));
      if (life.isLost) continue;
      life.pivots += 1;
      life.isLost = !isKept;
    }
  }
  return [...lives.values()];
}

function countLost(retained: Retained | undefined): number | null {
  return retained === undefined ? null : retained.facts - retained.kept;
}

function countKept(facts: QualityScore['facts']): number {
  return facts.filter(({ isKept }) => isKept).length;
}

function countChains(
  { chains }: QualityScore,
  outcomes: readonly QualityScore['chains'][number]['outcome'][],
): number {
  return chains.filter(({ outcome }) => outcomes.includes(outcome)).length;
}

function countFlipped(facts: QualityScore['facts']): number {
  return facts.filter(({ isFlipped }) => isFlipped).length;
}

function perKilotoken(amount: number | undefined, tokens: number | undefined): number | null {
  if (amount === undefined || tokens === undefined) return null;
  return shareOf(amount * KILOTOKEN, tokens);
}
