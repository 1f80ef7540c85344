import { type Limits, overflowRules, policies, type Policy } from '../../../engine/index.ts';
import { addToGroup } from '../../lib/collections.ts';
import { shortHash } from '../../lib/json.ts';
import type { RunKey } from '../../metrics/record.ts';
import { type CellContent, isSimulated } from '../grid.ts';
import type { ResultRow } from '../store/read-rows.ts';
import type { Met } from './meet-setup.ts';

/** A cell as its runs read it: cells that share key and limits run alike. */
export type EffectiveCell = ReturnType<typeof readCell>;

export type Outcome = Omit<ResultRow, keyof RunKey | 'sessionHash' | 'cell' | 'settings'>;

export interface AskedRun {
  readonly cell: EffectiveCell;
  readonly seed: number;
}

export interface MadeRun {
  readonly outcome: Outcome;
  readonly isQuiet: boolean;
  /** True if no breaker came nearer to its number. */
  readonly isCalm?: boolean;
}

export type Outcomes = ReturnType<typeof createOutcomes>;

export interface KeptRun extends MadeRun {
  readonly key: string;
  readonly limits: readonly number[];
}

interface Shelf {
  readonly read: () => readonly KeptRun[];
  readonly write: (runs: readonly KeptRun[]) => void;
}

/** Runs of one session that are kept; the oldest go. */
const MOST_KEPT = 200;

export function outcomeKey(content: Met<CellContent>) {
  return shortHash(readCell(content));
}

/** Hashes of everything but the limits, then without the numbers of breakers, and the limits. */
export function readCell(content: Met<CellContent>) {
  const { model, modelChanges, summaryModel, summarizer, asked, mode } = content;
  if (!isSimulated(content)) {
    const key = shortHash([content.policy.name, model, mode, modelChanges]);
    return { key, calmKey: key, limits: [] as readonly number[] };
  }
  const { policy } = content;
  const { trigger, usable } = readTrigger(policy, model.limits);
  const { name, describes: _, source: __, ...rest } = policy;
  const { limits, trueLimits } = model;
  // Only the control is known by its name.
  const read = {
    ...rest,
    isControl: name === policies.none.name,
    trigger,
    prune: readPrune(policy),
  };
  const sized = { ...model, limits: kindOf(limits), trueLimits: kindOf(trueLimits) };
  const others = { model: sized, modelChanges, summaryModel, summarizer, asked, mode };
  const guards = { ...policy.guards, maxFailures: 0, maxRefilled: 0 };
  return {
    key: shortHash({ policy: read, ...others }),
    calmKey: shortHash({ policy: { ...read, guards }, ...others }),
    limits: [...usable, ...sizesOf(limits), ...sizesOf(trueLimits)],
  };
}

/** Outcomes of runs of one session, beside those that another process kept. */
export function createOutcomes(keep?: Shelf, hasBounds = true) {
  const known = new Map<string, KeptRun[]>();
  const take = (runs: readonly KeptRun[]) => {
    for (const run of runs) addToGroup(known, run.key, run);
  };
  let added: KeptRun[] = [];
  let isRead = keep === undefined;
  // Bounds are only looked for where something was pruned.
  const bounded = (key: string) => `${key} ${hasBounds}`;
  return {
    find: (run: AskedRun): Outcome | undefined => {
      if (!isRead) take(keep?.read() ?? []);
      isRead = true;
      const { key, calmKey, limits } = run.cell;
      const keys = [key, calmKey].map((one) => `${one} ${run.seed}`);
      const alike = [...keys, ...keys.map(bounded)].flatMap((one) => known.get(one) ?? []);
      return alike.find((one) => {
        const hasRisen = limits.every((limit, index) => limit >= (one.limits[index] ?? 0));
        return one.isQuiet ? hasRisen : limits.join() === one.limits.join();
      })?.outcome;
    },
    add: (run: AskedRun, made: MadeRun) => {
      const key = `${made.isCalm ? run.cell.calmKey : run.cell.key} ${run.seed}`;
      const isFree = (made.outcome.metrics.prunes ?? 0) === 0;
      const one = { ...made, key: isFree ? key : bounded(key), limits: run.cell.limits };
      take([one]);
      // Whoever failed may do better the next time.
      if (made.outcome.state !== 'failed') added.push(one);
    },
    /** Keeps what was added since the last time, beside what others kept in the meantime. */
    save: () => {
      if (added.length > 0) keep?.write([...keep.read(), ...added].slice(-MOST_KEPT));
      added = [];
    },
  };
}

/** The rules of a pass do not matter if none is made; another order makes no comparison of its own. */
function readPrune({ prune }: Policy) {
  const { byAge: _, ...rest } = prune;
  if (prune.enabled && prune.when !== 'never') return prune.pass === 'by-age' ? prune : rest;
  const { cleanups = [], idleMs } = prune;
  return { enabled: false, ...(cleanups.length > 0 && { cleanups, idleMs }) };
}

/** Of reserve and caps only what they leave usable is read, as long as the limits stay as they are. */
function readTrigger({ trigger, guards }: Policy, limits: Limits) {
  const { reservedTokens, windowShare, outputCapTokens, afterStepOutputCapTokens, ...rest } =
    trigger;
  const reserve = { reservedTokens, windowShare };
  const usableWith = (cap: number) =>
    overflowRules[trigger.overflow].usable(limits, { ...reserve, outputCapTokens: cap });
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

function sizesOf({ contextTokens, inputTokens = 0 }: Limits) {
  return [contextTokens, inputTokens];
}
