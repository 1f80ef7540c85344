import { estimateTokens } from '../estimate.ts';
import type { Message, Part } from '../message.ts';
import { type Finding, findingsIn } from './finding.ts';
import type { PruneFacts } from './law.ts';

/** An output that a pass cleared; `id` is that of its message. */
interface Cleared {
  readonly id: string;
  readonly partId: string;
  readonly tool: string;
  readonly output: string;
}

/** Outputs that were cleared although the policy does not prune. */
export function findUnwantedPrune(facts: PruneFacts): readonly Finding[] {
  return facts.isEnabled ? [] : findingsIn(clearedBy(facts), 'outputs were cleared with prune off');
}

/** Outputs that were cleared in the newest turns. */
export function findClearedGuards(facts: PruneFacts): readonly Finding[] {
  const guarded = new Set(guardedMessages(facts).map(({ id }) => id));
  const cleared = clearedBy(facts).filter(({ id }) => guarded.has(id));
  return findingsIn(
    cleared,
    `outputs of the newest ${facts.options.guardTurns} turns were cleared`,
  );
}

/** Outputs of protected tools that were cleared. */
export function findClearedProtected(facts: PruneFacts): readonly Finding[] {
  const { protectedTools } = facts.options;
  const cleared = clearedBy(facts).filter(({ tool }) => protectedTools.includes(tool));
  return findingsIn(cleared, 'outputs of protected tools were cleared');
}

/** A saving that is not worth a pass. */
export function findPoorSaving(facts: PruneFacts): readonly Finding[] {
  const cleared = clearedBy(facts);
  const { minimumTokens } = facts.options;
  const savedTokens = cleared.reduce(
    (sum, { output }) => sum + estimateTokens(output.length, facts.estimator),
    0,
  );
  return savedTokens === 0 || savedTokens > minimumTokens
    ? []
    : findingsIn(cleared, `${savedTokens} tokens were saved, no more than ${minimumTokens}`);
}

/** Outputs that were cleared without being planned, and planned ones that were not. */
export function findUnplanned(facts: PruneFacts): readonly Finding[] {
  const { plan } = facts;
  const cleared = clearedBy(facts);
  const planned = new Set(plan.state === 'fire' ? plan.partIds : []);
  const isAsPlanned =
    planned.size === cleared.length && cleared.every(({ partId }) => planned.has(partId));
  const message = `${cleared.length} outputs were cleared, ${planned.size} planned`;
  return isAsPlanned ? [] : [{ message, messageIds: cleared.map(({ id }) => id) }];
}

/** Messages newer than the oldest of the guarded user messages; all where there are fewer. */
function guardedMessages({ before, options }: PruneFacts): readonly Message[] {
  if (options.guardTurns <= 0) return [];
  const users = before.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  return before.slice((users.at(-options.guardTurns) ?? -1) + 1);
}

function clearedBy({ before, after }: PruneFacts): readonly Cleared[] {
  if (before === after) return [];
  const unchanged = new Set(before);
  const changed = after.filter((message) => !unchanged.has(message));
  const changedIds = new Set(changed.map(({ id }) => id));
  const old = before.filter(({ id }) => changedIds.has(id)).flatMap(({ parts }) => parts);
  const known = new Set(old.filter(isCleared).map(({ id }) => id));
  return changed.flatMap((message) =>
    message.parts.flatMap((part) => (known.has(part.id) ? [] : toCleared(message, part))),
  );
}

function toCleared(message: Message, part: Part): readonly Cleared[] {
  if (part.type !== 'tool' || part.state.status !== 'completed' || !isCleared(part)) return [];
  const { tool, id, state } = part;
  return [{ id: message.id, partId: id, tool, output: state.output }];
}

function isCleared(part: Part): boolean {
  if (part.type !== 'tool' || part.state.status !== 'completed') return false;
  return part.state.compactedAt !== undefined;
}
