import { estimateTokens } from '../estimate.ts';
import { isCleared, type Message, type Part } from '../message.ts';
import { differingPlaces, findNewest, itemAt, itemsFrom } from '../series/series.ts';
import { type Finding, findingsIn } from './finding.ts';
import type { ClearedFacts, ClearedOutput, PruneFacts } from './law.ts';

const NOTHING: readonly Finding[] = [];

/** Outputs that were cleared although the policy does not prune. */
export function findUnwantedPrune({ isEnabled, cleared }: ClearedFacts): readonly Finding[] {
  return findingsIn(isEnabled ? [] : cleared, 'outputs were cleared with prune off');
}

/** Outputs that were cleared in the newest turns. */
export function findClearedGuards(facts: ClearedFacts): readonly Finding[] {
  if (facts.cleared.length === 0) return NOTHING;
  const guarded = new Set(guardedMessages(facts).map(({ id }) => id));
  return findingsIn(
    facts.cleared.filter(({ id }) => guarded.has(id)),
    `outputs of the newest ${facts.options.guardTurns} turns were cleared`,
  );
}

/** Outputs of protected tools that were cleared. */
export function findClearedProtected({ cleared, options }: ClearedFacts): readonly Finding[] {
  return findingsIn(
    cleared.filter(({ tool }) => options.protectedTools.includes(tool)),
    'outputs of protected tools were cleared',
  );
}

/** A saving that is not worth a pass. */
export function findPoorSaving({ cleared, options, estimator }: ClearedFacts): readonly Finding[] {
  const { minimumTokens } = options;
  const savedTokens = cleared.reduce(
    (sum, { output }) => sum + estimateTokens(output.length, estimator),
    0,
  );
  return savedTokens === 0 || savedTokens > minimumTokens
    ? []
    : findingsIn(cleared, `${savedTokens} tokens were saved, no more than ${minimumTokens}`);
}

/** Outputs that were cleared without being planned, and planned ones that were not. */
export function findUnplanned({ plan, cleared }: ClearedFacts): readonly Finding[] {
  const planned = new Set(plan.state === 'fire' ? plan.partIds : []);
  const isAsPlanned =
    planned.size === cleared.length && cleared.every(({ partId }) => planned.has(partId));
  if (isAsPlanned) return NOTHING;
  const message = `${cleared.length} outputs were cleared, ${planned.size} planned`;
  return [{ message, messageIds: cleared.map(({ id }) => id) }];
}

/** The outputs that a pass cleared, by what it made of the history. */
export function clearedBy({ before, after }: PruneFacts): readonly ClearedOutput[] {
  if (before === after) return [];
  const places = differingPlaces(before, after);
  const known = new Set<string>();
  for (const place of places) {
    for (const part of partsAt(before, place)) if (isCleared(part)) known.add(part.id);
  }
  const cleared: ClearedOutput[] = [];
  for (const place of places) addCleared(cleared, itemAt(after, place), known);
  for (const message of itemsFrom(after, before.length)) addCleared(cleared, message, known);
  return cleared;
}

function partsAt(history: readonly Message[], place: number): readonly Part[] {
  return itemAt(history, place)?.parts ?? [];
}

function addCleared(
  cleared: ClearedOutput[],
  message: Message | undefined,
  known: ReadonlySet<string>,
): void {
  if (message === undefined) return;
  for (const part of message.parts) {
    if (!isCleared(part) || known.has(part.id)) continue;
    const { id: partId, tool, state } = part;
    cleared.push({ id: message.id, partId, tool, output: state.output });
  }
}

/** Messages newer than the oldest of the guarded user messages; all where there are fewer. */
function guardedMessages({ before, options }: PruneFacts): readonly Message[] {
  if (options.guardTurns <= 0) return [];
  let turns = 0;
  const index = findNewest(before, ({ role }) => {
    if (role === 'user') turns += 1;
    return turns === options.guardTurns;
  });
  return itemsFrom(before, index + 1);
}
