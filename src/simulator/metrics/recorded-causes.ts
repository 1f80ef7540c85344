/** Causes that only a recording shows: an agent that does not compact where its rule does, and faults of its summaries. */

import { known } from '../lib/collections.ts';
import type { Known } from '../setup/find-window.ts';
import { isOtherWindow, mainStretch } from '../setup/setup.ts';
import type { Found, RunCourse } from './run-course.ts';

/** The numbers of a recording whose agent does not compact where its rule does. */
export interface WindowNumbers {
  readonly kind: 'early' | 'late' | 'never';
  /** Sizes at which it compacted; of one that never did, of its largest request. */
  readonly leastTokens: number;
  readonly mostTokens: number;
  readonly edgeTokens: number;
  readonly windowTokens: number;
  /** The window that another source gives. */
  readonly otherwise?: Known<number>;
  readonly agent?: string;
}

/** Steps above the edge of an agent; a check may miss one or two. */
const LATE_STEPS = 3;

/** Compactions far from the edge of an agent's rule; `undefined` where a refusal is all that it waits for. */
export function findWindow({ sources, ...course }: RunCourse): (Found & WindowNumbers) | undefined {
  const { compactions, steps, above, largestTokens } = course;
  const { setup, usableTokens: edgeTokens } = sources;
  if (setup === undefined || edgeTokens === undefined || setup.isRefusalOnly) return undefined;
  const main = mainStretch(setup);
  const { window, otherwise } = main;
  const common = {
    costUsd: null,
    edgeTokens,
    windowTokens: window.value,
    ...known({ agent: setup.agent }),
  };
  const autos = compactions.filter((one) => one.auto && one.beforeTokens !== undefined);
  if (autos.length === 0) {
    if (above < LATE_STEPS) return undefined;
    const sizes = { leastTokens: largestTokens, mostTokens: largestTokens };
    const found = { hits: above, of: steps, fromStep: steps - above, kind: 'never' } as const;
    return { ...found, ...common, ...sizes };
  }
  const isOther = window.source === 'inferred' && otherwise && isOtherWindow(main);
  const hits = isOther ? autos : autos.filter((one) => one.above >= LATE_STEPS);
  const [first] = hits;
  if (first === undefined) return undefined;
  const sizes = hits.map(({ beforeTokens = 0 }) => beforeTokens);
  const isEarly = isOther && window.value < otherwise.value;
  return {
    hits: hits.length,
    of: autos.length,
    fromStep: first.step,
    ...common,
    kind: isEarly ? 'early' : 'late',
    leastTokens: Math.min(...sizes),
    mostTokens: Math.max(...sizes),
    ...(isOther && { otherwise }),
  };
}

/** The worst of faults that only texts show, which is the first. */
export function findText<Fault extends { readonly step: number; readonly goneStep?: number }>(
  { length: of }: RunCourse['compactions'],
  faults: readonly Fault[] = [],
) {
  const [worst] = faults;
  if (worst === undefined) return undefined;
  const { step, goneStep = step } = worst;
  return { hits: faults.length, of, fromStep: goneStep, costUsd: null, ...worst };
}
