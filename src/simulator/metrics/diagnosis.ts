import { known } from '../lib/collections.ts';
import type { TextFaults } from '../replay/recording-faults.ts';
import { isOtherWindow, type Known, mainStretch } from '../setup/setup.ts';
import { type Break, type Found, type RunCourse } from './run-course.ts';

/** The numbers of each cause; tokens are true tokens. */
export interface CauseNumbers {
  /** Compactions that gain little, since what stays fills most of the room. */
  readonly floor: {
    readonly part: 'overhead' | 'summary' | 'tail';
    readonly partTokens: number;
    readonly limitTokens: number;
    readonly ineffective: number;
    readonly steps: number;
    /** The step with the largest content, where what is kept is to blame. */
    readonly messageId?: string;
    /** Steps from a compaction to the next; absent where there was no other. */
    readonly least?: number;
    readonly most?: number;
  };
  /** Compactions with room that was filled at once. */
  readonly refilled: {
    readonly messageId: string;
    readonly step: number;
    readonly tokens: number;
    readonly roomTokens: number;
  };
  /** Summaries that fail, or are larger than what they replace. */
  readonly summary: {
    readonly failed: number;
    /** The most frequent one. */
    readonly reason?: string;
    readonly larger: number;
    /** Of the worst of the larger ones. */
    readonly summaryTokens?: number;
    readonly replacedTokens?: number;
  };
  /** Pictures and other media that fill the context. */
  readonly media: { readonly mediaTokens: number; readonly otherTokens: number };
  /** A cache that is broken step by step. */
  readonly cache: {
    readonly rule: Break['rule'];
    /** The first part that was cleared. */
    readonly partId?: string;
    readonly lostTokens: number;
  };
  /** A recording whose agent does not compact where its rule does. */
  readonly window: {
    readonly kind: 'early' | 'late' | 'never';
    /** Sizes at which it compacted; of one that never did, of its largest request. */
    readonly leastTokens: number;
    readonly mostTokens: number;
    readonly edgeTokens: number;
    readonly windowTokens: number;
    readonly otherwise?: Known<number>;
    readonly agent?: string;
  };
  readonly rule: TextFaults['rules'][number];
  readonly invented: TextFaults['invented'][number];
}

export type Cause = keyof CauseNumbers;

/** A cause with its numbers: ids and amounts, never texts of a session. */
export type Finding = {
  readonly [Name in Cause]: { readonly cause: Name } & Found &
    CauseNumbers[Name] & {
      readonly dearer?: { readonly costUsd: number; readonly neverUsd: number };
    };
}[Cause];

/** Names of the content that findings blame, as far as they are known where they are shown. */
export type Blamed = ReadonlyMap<Finding, string>;
/** Steps above the edge of an agent; a check may miss one or two. */
const LATE_STEPS = 3;
/** Of the edge; one alone may be by hand. */
const EARLY_SHARE = 0.7;
const LEAST_EARLY = 2;

/** The order of findings: by dollars, then by what they hit. */
export function worstFirst(one: Finding, other: Finding): number {
  return (other.costUsd ?? 0) - (one.costUsd ?? 0) || other.hits - one.hits;
}

/** Compactions far from the edge of an agent's rule; `undefined` where a refusal is all that it waits for. */
export function findWindow({
  sources,
  ...course
}: RunCourse): (Found & CauseNumbers['window']) | undefined {
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
  const early = autos.filter(({ beforeTokens = 0 }) => beforeTokens < EARLY_SHARE * edgeTokens);
  const isFar = early.length >= Math.max(LEAST_EARLY, autos.length / 2);
  const far = isFar ? early : autos.filter((one) => one.above >= LATE_STEPS);
  const hits = isOther ? autos : far;
  const [first] = hits;
  if (first === undefined) return undefined;
  const sizes = hits.map(({ beforeTokens = 0 }) => beforeTokens);
  const isEarly = isOther ? window.value < otherwise.value : isFar;
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
