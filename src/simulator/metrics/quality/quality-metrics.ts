import { keepIn } from '../../lib/collections.ts';
import { shareOf } from '../metric.ts';
import type { FactState } from './fact-states.ts';
import type { QualityScore } from './score-text.ts';

interface QualityMetric {
  readonly label: string;
  readonly unit: 'ratio';
  /** Absent where neither direction is better by itself. */
  readonly better?: 'higher' | 'lower';
  readonly describes: string;
  /** `null` where there is nothing that it could be about. */
  of(score: QualityScore): number | null;
}

/** Numbers about a summary or a view; `null` where there is nothing that they could be about. */
export type QualityValues = Readonly<Record<keyof typeof qualityMetrics, number | null>>;

const HIGHER = { unit: 'ratio', better: 'higher' } as const;
const LOWER = { unit: 'ratio', better: 'lower' } as const;

/** All numbers about a summary or a view by name, in the order of reports. */
export const qualityMetrics = {
  retention: {
    label: 'Facts kept',
    ...HIGHER,
    describes:
      'Share of the facts that hold whose value is stated with its subject and as it holds.',
    of: ({ retained }) => retained.share,
  },
  mustRetention: {
    label: 'Must-facts kept',
    ...HIGHER,
    describes: 'The same of the facts that must be kept.',
    of: ({ must }) => must.share,
  },
  contradictedRate: {
    label: 'Contradicted',
    ...LOWER,
    describes: 'Share of the facts of which the text plainly says the opposite.',
    of: shareIn('contradicted'),
  },
  wrongValueRate: {
    label: 'Wrong value',
    ...LOWER,
    describes:
      'Share of the facts whose subject has another value, or whose value another subject.',
    of: shareIn('wrong-value'),
  },
  staleRate: {
    label: 'Stale',
    ...LOWER,
    describes: 'Share of the facts of which what held before is stated as what holds.',
    of: shareIn('stale'),
  },
  unknownRate: {
    label: 'In doubt',
    unit: 'ratio',
    describes: 'Share of the facts of which rules cannot say what the text means.',
    of: shareIn('unknown'),
  },
  todoStates: {
    label: 'Task states',
    ...HIGHER,
    describes: 'Share of the tasks that are stated in the state that they are in.',
    of: ({ kinds }) => kinds.todo?.share ?? null,
  },
  stringsKept: {
    label: 'Strings kept',
    unit: 'ratio',
    describes:
      'Share of the strings that later steps use and that still stand in the text; it says nothing of quality.',
    of: ({ strings }) => strings.share,
  },
} as const satisfies Record<string, QualityMetric>;

/** The numbers of a score. */
export function qualityValues(score: QualityScore): QualityValues {
  const entries = Object.entries<QualityMetric>(qualityMetrics).map(
    ([name, metric]) => [name, metric.of(score)] as const,
  );
  return Object.fromEntries(entries) as QualityValues;
}

/** Facts at risk and lost at pivots, by the number that they went through; one that is replaced, or still there at the end, leaves without being lost. */
export function lossesOf(scores: readonly QualityScore[]) {
  // A fact that is lost once stays lost.
  const lives = new Map<string, { pivots: number; isLost: boolean }>();
  for (const { id, state } of scores.flatMap(({ facts }) => facts)) {
    const life = keepIn(lives, id, () => ({ pivots: 0, isLost: false }));
    if (life.isLost) continue;
    life.pivots += 1;
    life.isLost = state !== 'kept';
  }
  const all = [...lives.values()];
  const longest = all.reduce((most, { pivots }) => Math.max(most, pivots), 0);
  return Array.from({ length: longest }, (_, index) => {
    const atRisk = all.filter(({ pivots }) => pivots > index);
    const lost = atRisk.filter(({ pivots, isLost }) => pivots === index + 1 && isLost);
    return { atRisk: atRisk.length, lost: lost.length };
  });
}

function shareIn(state: FactState): QualityMetric['of'] {
  return ({ states, facts }) => shareOf(states[state], facts.length);
}
