import { estimateTokens } from '../estimate.ts';
import { isCleared, isCompleted, type Message, type Part } from '../message.ts';
import { countsFor, newestOutputs } from '../prune/keep-last.ts';
import { findNewest, partingOf } from '../series/series.ts';
import { type Finding, findingsIn } from './finding.ts';
import type { ClearedFacts, ClearedOutput, PruneFacts } from './law.ts';

const NOTHING: readonly Finding[] = [];
const NO_PARTS: readonly Part[] = [];

/** A message and where it stands. */
interface Placed {
  readonly place: number;
  readonly message: Message;
}

/** Outputs that were cleared although the policy does not prune. */
export function findUnwantedPrune({ isEnabled, cleared }: ClearedFacts): readonly Finding[] {
  return findingsIn(isEnabled ? [] : cleared, 'outputs were cleared with prune off');
}

/** Outputs that were cleared in the newest turns. */
export function findClearedGuards({ before, cleared, options }: ClearedFacts): readonly Finding[] {
  if (cleared.length === 0 || options.guardTurns <= 0) return NOTHING;
  const start = guardedFrom(before, options.guardTurns);
  return findingsIn(
    cleared.filter(({ place }) => place >= start),
    `outputs of the newest ${options.guardTurns} turns were cleared`,
  );
}

/** Outputs of protected tools that were cleared. */
export function findClearedProtected({ cleared, options }: ClearedFacts): readonly Finding[] {
  return findingsIn(
    cleared.filter(({ part }) => options.protectedTools.includes(part.tool)),
    'outputs of protected tools were cleared',
  );
}

/** Outputs that were cleared although the pass keeps the newest ones, or those of their tool. */
export function findClearedNewest({ after, cleared, keepLast }: ClearedFacts): readonly Finding[] {
  if (cleared.length === 0 || keepLast === undefined) return NOTHING;
  const kept = newestOutputs(after, keepLast);
  return findingsIn(
    cleared.filter(({ part }) => kept.has(part.id) || !countsFor(part, keepLast)),
    `outputs among the newest ${keepLast.outputs} or of other tools were cleared`,
  );
}

/** A saving that is not worth a pass. */
export function findPoorSaving({ cleared, options, estimator }: ClearedFacts): readonly Finding[] {
  const { minimumTokens } = options;
  let savedTokens = 0;
  for (const { part } of cleared)
    savedTokens += estimateTokens(part.state.output.length, estimator);
  return savedTokens === 0 || savedTokens > minimumTokens
    ? NOTHING
    : findingsIn(cleared, `${savedTokens} tokens were saved, no more than ${minimumTokens}`);
}

/** Outputs that were cleared without being planned, and planned ones that were not. */
export function findUnplanned({ plan, cleared }: ClearedFacts): readonly Finding[] {
  const planned = new Set(plan.state === 'fire' ? plan.partIds : []);
  const isAsPlanned =
    planned.size === cleared.length && cleared.every(({ part }) => planned.has(part.id));
  if (isAsPlanned) return NOTHING;
  const message = `${cleared.length} outputs were cleared, ${planned.size} planned`;
  return [{ message, messageIds: cleared.map(({ id }) => id) }];
}

/** The outputs that a pass cleared, by what it made of the history. */
export function clearedBy(facts: PruneFacts): readonly ClearedOutput[] {
  const { from, before, after } = partingOf(facts.before, facts.after);
  const { added } = facts;
  const cleared: ClearedOutput[] = [];
  const known = new Set<string>();
  for (let index = 0; index < after.length; index++) {
    const now = after[index] as Message;
    const old = before[index] ?? (now.id === added?.id ? added : undefined);
    if (old === now) continue;
    addCleared(cleared, { place: from + index, message: now }, old?.parts);
    for (const part of old?.parts ?? NO_PARTS) if (isCleared(part)) known.add(part.id);
  }
  return known.size === 0 ? cleared : cleared.filter(({ part }) => !known.has(part.id));
}

/** Adds the cleared outputs of a message, without parts that stood in their place before. */
function addCleared(
  cleared: ClearedOutput[],
  { place, message }: Placed,
  old: readonly Part[] = NO_PARTS,
): void {
  const { id, parts } = message;
  for (let index = 0; index < parts.length; index++) {
    const [was, part] = [old[index], parts[index] as Part];
    if (was === part || !isCleared(part)) continue;
    // A pass that overwrites what it clears leaves nothing to weigh.
    cleared.push({ id, place, part: was?.id === part.id && isCompleted(was) ? was : part });
  }
}

/** Where the newest turns begin, behind the oldest of their user messages; at the oldest message where there are fewer. */
function guardedFrom(history: readonly Message[], guardTurns: number): number {
  let turns = 0;
  const index = findNewest(history, ({ role }) => {
    if (role === 'user') turns += 1;
    return turns === guardTurns;
  });
  return index + 1;
}
