import type { PrunePolicy } from '../policy.ts';
import { ANY_AGE } from '../prune/by-age.ts';
import {
  type EngineEvent,
  historyOf,
  type LoopInput,
  type LoopState,
  type PartUses,
  type Transition,
} from '../state.ts';
import { joinPlans } from '../prune/plan.ts';
import { requestedList } from '../loop/decide.ts';
import { hasOnlyGrown } from './append-laws.ts';
import {
  changesNothing,
  checkAppend,
  checkPivot,
  checkPrune,
  type PlannedChange,
} from './check.ts';
import type { PivotFacts, PivotSizes, PlannedCleanup } from './law.ts';
import { createRequestChecker } from './request-checker.ts';
import { HELD, type Violation } from './violations.ts';

type PrunedEvent = EngineEvent & { readonly type: 'pruned' };

/** One input of a session and what came of it. */
export interface Move {
  readonly before: LoopState;
  readonly input: LoopInput;
  readonly next: Transition;
  /** What the host knows of a pivot that ended with this input. */
  readonly sizes?: PivotSizes | undefined;
  /** What the host knew of uses at that moment. */
  readonly uses?: PartUses | undefined;
}

/** Checks each move of a session against all laws; moves are given in order, and none is left out. */
export function createLawChecker(): (move: Move) => readonly Violation[] {
  const checkRequest = createRequestChecker();
  return (move) => {
    const { before, input, next } = move;
    const { state: after, events, commands } = next;
    let found = hasOnlyGrown(before, after)
      ? HELD
      : checkAppend({ before, after, revertTo: revertPointOf(input) });
    if (events.length > 0 || input.type === 'aborted') found = join(found, checkEvents(move));
    for (const command of commands) {
      if (command.type !== 'request') continue;
      found = join(found, checkRequest({ state: after, view: requestedList(command) }));
    }
    return found;
  };
}

function checkEvents({ before, input, next, sizes }: Move): readonly Violation[] {
  const { state: after, events } = next;
  const pruned = events.filter((event) => event.type === 'pruned');
  const found = pruned.length === 0 ? HELD : checkPruned(pruned, { before, input, after });
  const outcome = pivotOutcome(before, input, events);
  return outcome === undefined ? found : join(found, checkPivot({ before, after, outcome, sizes }));
}

function join(found: readonly Violation[], more: readonly Violation[]): readonly Violation[] {
  if (more.length === 0) return found;
  return found.length === 0 ? more : [...found, ...more];
}

function revertPointOf(input: LoopInput): string | undefined {
  return input.type === 'compact' ? input.revertTo : undefined;
}

function checkPruned(
  pruned: readonly PrunedEvent[],
  { before, input, after }: Pick<Move, 'before' | 'input'> & { readonly after: LoopState },
): readonly Violation[] {
  const { prune, estimator } = after.policy;
  const planned: PlannedChange = {
    before: historyOf(before),
    after: historyOf(after),
    plan: joinPlans(pruned.map(({ plan }) => plan)),
  };
  // Few prunes change anything; the rest of what a check goes by is made for these alone.
  if (changesNothing(planned)) return HELD;
  return checkPrune({
    added: 'message' in input ? input.message : undefined,
    cleanups: cleanupsIn(pruned, prune),
    isEnabled: prune.enabled,
    estimator,
    ...planned,
    ...rulesOf(prune),
  });
}

function cleanupsIn(
  pruned: readonly PrunedEvent[],
  { cleanups }: PrunePolicy,
): readonly PlannedCleanup[] | undefined {
  return cleanups?.flatMap((rules) =>
    pruned.flatMap(({ byPass = [] }) =>
      byPass.filter(({ pass }) => pass === rules.pass).map((plan) => ({ rules, plan })),
    ),
  );
}

/** What a pass goes by; in another order not even the newest outputs are kept. */
function rulesOf({ pass, evicts, byAge, keepLast }: PrunePolicy) {
  if (pass === 'by-age') return { options: byAge };
  return evicts === undefined ? { options: ANY_AGE, keepLast } : { options: ANY_AGE };
}

/** How an attempt ended; `undefined` while none did. An abort has no event of its own. */
function pivotOutcome(
  { phase }: LoopState,
  input: LoopInput,
  events: readonly EngineEvent[],
): PivotFacts['outcome'] | undefined {
  if (events.some(({ type }) => type === 'compacted')) return 'compacted';
  const isAborted = input.type === 'aborted' && phase.state === 'summarising';
  const hasFailed = events.some(
    ({ type }) => type === 'summary-failed' || type === 'summary-rejected',
  );
  return isAborted || hasFailed ? 'failed' : undefined;
}
