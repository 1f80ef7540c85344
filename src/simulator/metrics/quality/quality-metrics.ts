import { keepIn } from '../../lib/collections.ts';
import { shareOf } from '../metric.ts';
import type { FactState } from './fact-states.ts';
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

/** All numbers about a summary or a view by name, in the order of reports. */
export const qualityMetrics = {
  retention: {
    label: 'Facts kept',
    unit: 'ratio',
    better: 'higher',
    describes:
      'Share of the facts that hold whose value is stated with its subject and as it holds.',
    of: ({ retained }) => retained.share,
  },
  mustRetention: {
    label: 'Must-facts kept',
    unit: 'ratio',
    better: 'higher',
    describes: 'The same of the facts that must be kept.',
    of: ({ must }) => must.share,
  },
  mustDropped: {
    label: 'Must-facts not kept',
    unit: 'count',
    better: 'lower',
    describes: 'Facts that must be kept and are not.',
    of: ({ must }) => (must.facts === 0 ? null : must.facts - must.kept),
  },
  contradictedRate: {
    label: 'Contradicted',
    unit: 'ratio',
    better: 'lower',
    describes: 'Share of the facts of which the text plainly says the opposite.',
    of: shareIn('contradicted'),
  },
  wrongValueRate: {
    label: 'Wrong value',
    unit: 'ratio',
    better: 'lower',
    describes:
      'Share of the facts whose subject has another value, or whose value another subject.',
    of: shareIn('wrong-value'),
  },
  staleRate: {
    label: 'Stale',
    unit: 'ratio',
    better: 'lower',
    describes: 'Share of the facts of which what held before is stated as what holds.',
    of: shareIn('stale'),
  },
  unboundRate: {
    label: 'Value alone',
    unit: 'ratio',
    better: 'lower',
    describes: 'Share of the facts whose value stands there without what it belongs to.',
    of: shareIn('unbound'),
  },
  unknownRate: {
    label: 'In doubt',
    unit: 'ratio',
    describes: 'Share of the facts of which rules cannot say what the text means.',
    of: shareIn('unknown'),
  },
  todoStates: {
    label: 'Task states',
    unit: 'ratio',
    better: 'higher',
    describes: 'Share of the tasks that are stated in the state that they are in.',
    of: ({ kinds }) => kinds.todo?.share ?? null,
  },
  stringsKept: {
    label: 'Strings kept',
    unit: 'ratio',
    describes:
      'Share of the strings that later steps use and that still stand in the text; no measure of quality.',
    of: ({ strings }) => strings.share,
  },
  stringsPerKilotoken: {
    label: 'Strings kept per 1,000 tokens',
    unit: 'per-kilotoken',
    describes: 'Those strings per 1,000 tokens of the text.',
    of: ({ strings, tokens }) => perKilotoken(strings.kept, tokens?.text),
  },
  factsPerKilotoken: {
    label: 'Facts kept per 1,000 tokens',
    unit: 'per-kilotoken',
    better: 'higher',
    describes: 'Kept facts per 1,000 tokens of the text.',
    of: ({ retained, tokens }) => perKilotoken(retained.kept, tokens?.text),
  },
  compression: {
    label: 'Compression',
    unit: 'ratio',
    better: 'higher',
    describes:
      '1 minus the tokens of the text divided by those that it replaces; below 0 it is longer.',
    of: ({ tokens }) =>
      tokens?.before === undefined ? null : shareOf(tokens.before - tokens.text, tokens.before),
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
} as const satisfies Record<string, QualityMetric>;

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
    for (const { id, state } of facts) {
      const life = keepIn(lives, id, () => ({ pivots: 0, isLost: false }));
      if (life.isLost) continue;
      life.pivots += 1;
      life.isLost = state !== 'kept';
    }
  }
  return [...lives.values()];
}

function shareIn(state: FactState): QualityMetric['of'] {
  return ({ states, facts }) => shareOf(states[state], facts.length);
}

function perKilotoken(amount: number | undefined, tokens: number | undefined): number | null {
  if (amount === undefined || tokens === undefined) return null;
  return shareOf(amount * KILOTOKEN, tokens);
}
