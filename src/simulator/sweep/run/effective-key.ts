import { type Limits, overflowRules, policies, type Policy } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { addToGroup } from '../../lib/collections.ts';
import { shortHash } from '../../lib/json.ts';
import type { RunKey } from '../../metrics/record.ts';
import { type CellContent, isSimulated } from '../grid.ts';
import type { ResultRow } from '../store/row.ts';
import type { Met } from './meet-setup.ts';

/** A cell as a run reads it: numbers that it only compares with its counts, and the rest. */
export interface EffectiveCell {
  /** Hash of everything else. */
  readonly family: string;
  readonly thresholds: Thresholds;
}

/** Numbers of a cell that runs do nothing with but hold their counts against. */
interface Thresholds {
  /** Limits of a request, whoever asks: usable tokens, windows and caps on input. */
  readonly limits: readonly number[];
  readonly protectTokens: number;
  readonly minimumTokens: number;
}

/** How far the thresholds of a run can be moved, all of them at once, without the run being another one. */
export interface Leeway {
  /** True if no limit was met: larger ones would not be either. */
  readonly limitsMayRise: boolean;
  /** True if nothing was old enough to be cleared: with more protection nothing would be. */
  readonly protectMayRise: boolean;
  /** The largest saving that was too small; a minimum of less would have let it pass. */
  readonly leastMinimum: number;
  /** The smallest saving that was enough; a minimum of that would have stopped it. */
  readonly minimumBelow: number;
}

/** Finds the leeway of a run from its events. */
export interface LeewayWatch {
  readonly add: (event: RunEvent) => void;
  /** The run that it is measured against, where another one is: the prune of that one goes by everything. */
  readonly addBound: (event: RunEvent) => void;
  readonly end: () => Leeway;
}

/** A run's result, without its names. */
export type Outcome = Omit<ResultRow, keyof RunKey | 'sessionHash' | 'cell' | 'settings'>;

/** A run that may have been made already. */
export interface AskedRun {
  readonly cell: EffectiveCell;
  readonly seed: number;
}

/** Results of one session's runs, for runs that would be equal. */
export interface Outcomes {
  find(run: AskedRun): Outcome | undefined;
  add(run: AskedRun, outcome: Outcome, leeway: Leeway): void;
}

/** A run that was made. */
interface Known {
  readonly thresholds: Thresholds;
  readonly leeway: Leeway;
  readonly outcome: Outcome;
}

type Shelf = Pick<Leeway, 'limitsMayRise' | 'protectMayRise'>;

/** Events of runs that meet no limit. After any other event, other limits might have changed the run. */
const QUIET: ReadonlySet<RunEvent['type']> = new Set([
  'run-start',
  'turn-start',
  'step-end',
  'prune-end',
  'reference',
  'eviction',
  'stale-kept',
  'standing',
  'turn-end',
]);

const NO_THRESHOLDS: Thresholds = { limits: [], protectTokens: 0, minimumTokens: 0 };

/** No minimum lies there, so that only the run's own holds. */
const NO_OTHER_PRUNE = { protectMayRise: false, leastMinimum: Infinity, minimumBelow: 0 };

/** The leeway of a run that nothing is known of: none. */
export const NO_LEEWAY: Leeway = { limitsMayRise: false, ...NO_OTHER_PRUNE };

/** Runs lie by what has to be equal, so that nobody looks through all of them. */
const SHELVES: readonly Shelf[] = [false, true].flatMap((limitsMayRise) =>
  [false, true].map((protectMayRise) => ({ limitsMayRise, protectMayRise })),
);

/**
 * Hash of everything that a run can read of a cell. Cells that share it run alike, whatever they are
 * called; that others do not is not said.
 */
export function effectiveKey(content: Met<CellContent>): string {
  return shortHash(readCell(content));
}

/** A cell as its runs read it. Those of one family differ at most in their thresholds. */
export function readCell(content: Met<CellContent>): EffectiveCell {
  if (!isSimulated(content)) {
    const { policy: arm, model: priced, modelChanges: later, mode: loop } = content;
    return { family: shortHash([arm.name, priced, loop, later]), thresholds: NO_THRESHOLDS };
  }
  const { policy, model, modelChanges, summaryModel, summarizer, asked, mode } = content;
  const { prune, protectTokens, minimumTokens } = readPrune(policy);
  const { trigger, usable } = readTrigger(policy, model.limits);
  const { name, describes: _, source: __, ...rest } = policy;
  const { limits, trueLimits } = model;
  return {
    family: shortHash({
      // Only the control is known by its name.
      policy: { ...rest, isControl: name === policies.none.name, trigger, prune },
      model: { ...model, limits: kindOf(limits), trueLimits: kindOf(trueLimits) },
      modelChanges,
      summaryModel,
      summarizer,
      asked,
      mode,
    }),
    thresholds: {
      limits: [...usable, ...sizesOf(limits), ...sizesOf(trueLimits)],
      protectTokens,
      minimumTokens,
    },
  };
}

/** A watch over a run that has not begun. */
export function watchLeeway(): LeewayWatch {
  const leeway = {
    limitsMayRise: true,
    protectMayRise: true,
    leastMinimum: 0,
    minimumBelow: Infinity,
  };
  let hasBound = false;
  const add = (event: RunEvent) => {
    leeway.limitsMayRise &&= isQuiet(event);
    if (event.type !== 'prune-end' || event.state === 'nothing') return;
    leeway.protectMayRise = false;
    const { estimatedTokens: saved } = event;
    if (event.state === 'fired') leeway.minimumBelow = Math.min(leeway.minimumBelow, saved);
    else leeway.leastMinimum = Math.max(leeway.leastMinimum, saved);
  };
  return {
    add,
    addBound: (event) => {
      hasBound = true;
      leeway.limitsMayRise &&= isQuiet(event);
    },
    end: () => (hasBound ? { ...leeway, ...NO_OTHER_PRUNE } : leeway),
  };
}

/** Smaller thresholds first, for what they let pass tells of the larger ones. */
export function compareThresholds(one: Thresholds, other: Thresholds): number {
  const [a, b] = [toNumbers(one), toNumbers(other)];
  const index = a.findIndex((number, place) => number !== b[place]);
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}

/** Outcomes of a session that nothing was run of. */
export function createOutcomes(): Outcomes {
  const shelves = new Map<string, Known[]>();
  return {
    find: (run) => {
      const { thresholds } = run.cell;
      for (const key of SHELVES.map((shelf) => keyOf(run, shelf))) {
        const known = shelves.get(key)?.find((one) => holdsFor(one, thresholds));
        if (known !== undefined) return known.outcome;
      }
      return undefined;
    },
    add: (run, outcome, leeway) => {
      const known = { thresholds: run.cell.thresholds, leeway, outcome };
      addToGroup(shelves, keyOf(run, leeway), known);
    },
  };
}

/** The rules of a pass do not matter if none is made; another order makes no comparison of its own. */
function readPrune({ prune }: Policy) {
  const { byAge, ...rest } = prune;
  const none = { protectTokens: 0, minimumTokens: 0 };
  if (!prune.enabled || prune.when === 'never') {
    const { cleanups = [], idleMs } = prune;
    const rules = cleanups.length > 0 && { cleanups, idleMs };
    return { prune: { enabled: false, ...rules }, ...none };
  }
  if (prune.pass !== 'by-age') return { prune: rest, ...none };
  // The tokens that clean-ups clear are told together with those that the pass compares.
  if (prune.cleanups !== undefined) return { prune, ...none };
  if (prune.evicts !== undefined) return { prune, ...none };
  const { protectTokens, minimumTokens, ...others } = byAge;
  return { prune: { ...rest, byAge: others }, protectTokens, minimumTokens };
}

/** Of reserve and caps only what they leave usable is read, as long as the limits stay as they are. */
function readTrigger({ trigger, guards }: Policy, limits: Limits) {
  const { reservedTokens, windowShare, outputCapTokens, afterStepOutputCapTokens, ...rest } =
    trigger;
  const usableWith = (cap: number) =>
    overflowRules[trigger.overflow].usable(limits, {
      reservedTokens,
      windowShare,
      outputCapTokens: cap,
    });
  const afterStepCap = afterStepOutputCapTokens ?? outputCapTokens;
  const { background } = trigger;
  return {
    trigger: guards.learnWindow ? trigger : rest,
    usable: [
      usableWith(outputCapTokens),
      usableWith(afterStepCap),
      ...(background
        ? [overflowRules[background.blocksAt].usable(limits, { outputCapTokens })]
        : []),
    ],
  };
}

/** A window or a cap of 0 is none, which is another thing than a small one. */
function kindOf({ contextTokens, inputTokens, ...rest }: Limits) {
  return { ...rest, hasWindow: contextTokens > 0, hasInputCap: Boolean(inputTokens) };
}

function sizesOf({ contextTokens, inputTokens = 0 }: Limits): readonly number[] {
  return [contextTokens, inputTokens];
}

function isQuiet(event: RunEvent): boolean {
  return event.type === 'run-end' ? event.state === 'completed' : QUIET.has(event.type);
}

function toNumbers({ limits, protectTokens, minimumTokens }: Thresholds): readonly number[] {
  return [protectTokens, minimumTokens, ...limits];
}

function keyOf({ cell, seed }: AskedRun, { limitsMayRise, protectMayRise }: Shelf): string {
  const { limits, protectTokens } = cell.thresholds;
  const fixedLimits = limitsMayRise ? '' : limits.join();
  return `${cell.family} ${seed} ${fixedLimits} ${protectMayRise ? '' : protectTokens}`;
}

function holdsFor({ thresholds, leeway }: Known, other: Thresholds): boolean {
  const { limits, protectTokens, minimumTokens } = thresholds;
  return (
    other.protectTokens >= protectTokens &&
    isAtLeast(other.limits, limits) &&
    allowsMinimum(leeway, minimumTokens, other.minimumTokens)
  );
}

function isAtLeast(one: readonly number[], other: readonly number[]): boolean {
  return one.every((number, index) => number >= (other[index] ?? 0));
}

/** Returns true if a minimum has the same effect as the run's own. */
function allowsMinimum(leeway: Leeway, own: number, other: number): boolean {
  const { leastMinimum, minimumBelow } = leeway;
  return other === own || (other >= leastMinimum && other < minimumBelow);
}
