import type { Age, ByAgeOptions, CleanupPolicy, KeepLastOptions, PrunePolicy } from '../policy.ts';
import { cleanups } from '../prune/cleanups.ts';
import { evictionOrders } from '../prune/eviction-orders.ts';
import { amount, fields, flag, listOf, oneOf, optional, text } from './check.ts';

const byAge = fields<ByAgeOptions>({
  protectTokens: amount,
  minimumTokens: amount,
  guardTurns: amount,
  protectedTools: listOf(text),
  skipNewestMessages: optional(amount),
  atSummary: optional(oneOf({ stop: true, abort: true })),
  summaryInGuard: optional(oneOf({ pass: true, stop: true })),
  atCleared: optional(oneOf({ stop: true, 'next-message': true, 'go-on': true })),
});

const cleanup = fields<CleanupPolicy>({
  pass: oneOf(cleanups),
  when: oneOf<CleanupPolicy['when']>({ 'turn-end': true, 'before-request': true, idle: true }),
  protectedTools: optional(listOf(text)),
  olderThan: optional(
    fields<Age>({ count: amount, unit: oneOf<Age['unit']>({ steps: true, turns: true }) }),
  ),
  inputText: optional(text),
});

/** What leaves the view without a pivot. */
export const pruneForm = fields<PrunePolicy>({
  enabled: flag,
  when: oneOf<PrunePolicy['when']>({
    'turn-end': true,
    'on-overflow': true,
    'before-request': true,
    idle: true,
    never: true,
  }),
  idleMs: optional(amount),
  pass: oneOf<PrunePolicy['pass']>({ 'by-age': true, 'all-outputs': true, 'keep-last': true }),
  byAge,
  keepLast: optional(fields<KeepLastOptions>({ outputs: amount, tools: optional(listOf(text)) })),
  evicts: optional(oneOf(evictionOrders)),
  cleanups: optional(listOf(cleanup)),
  storedOutput: oneOf<PrunePolicy['storedOutput']>({ kept: true, overwritten: true }),
});
