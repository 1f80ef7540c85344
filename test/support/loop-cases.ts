import type { Move, Policy } from '../../src/engine/index.ts';
import { SIZED } from './input-kinds.ts';

/** How often something was met in the runs of one preset. */
export type Cases = Record<CaseName, number>;
type CaseName =
  | 'overflow'
  | 'pivot'
  | 'failed summary'
  | 'abort while stepping'
  | 'abort while summarising'
  | 'prune'
  | 'prompt while stepping'
  | 'prompt while summarising'
  | 'refusal'
  | 'nothing to compact'
  | 'another model while summarising';

/** Counts what a move has met. */
export function countCases({ before, input, next }: Move, cases: Cases): void {
  const { state } = before.phase;
  for (const event of next.events) {
    if (event.type === 'overflow') cases[event.path === 'refused' ? 'refusal' : 'overflow'] += 1;
    if (event.type === 'compacted') cases.pivot += 1;
    if (event.type === 'pruned' && event.plan.state === 'fire') cases.prune += 1;
    if (event.type === 'summary-failed' || event.type === 'summary-rejected')
      cases['failed summary'] += 1;
  }
  const isIgnored = next.events.some(({ type }) => type === 'ignored');
  if (state === 'waiting' && input.type === 'compact' && isIgnored)
    cases['nothing to compact'] += 1;
  if (state === 'waiting') return;
  const during = state === 'summarising' ? 'summarising' : 'stepping';
  if (input.type === 'aborted') cases[`abort while ${during}`] += 1;
  if (input.type === 'user-message') cases[`prompt while ${during}`] += 1;
  if (input.type === 'model-changed' && state === 'summarising')
    cases['another model while summarising'] += 1;
}

/** Nothing was met. */
export function noCases(): Cases {
  return {
    overflow: 0,
    pivot: 0,
    'failed summary': 0,
    'abort while stepping': 0,
    'abort while summarising': 0,
    prune: 0,
    'prompt while stepping': 0,
    'prompt while summarising': 0,
    refusal: 0,
    'nothing to compact': 0,
    'another model while summarising': 0,
  };
}

/** The cases that a policy can meet. */
export function casesOf({ trigger, prune, cut, summary }: Policy): readonly CaseName[] {
  const pivots = cut.keep !== 'everything';
  const asks = pivots && summary.fixedText === undefined;
  return [
    'refusal',
    'abort while stepping',
    'prompt while stepping',
    ...(trigger.auto ? ['overflow' as const] : []),
    ...(prune.enabled ? ['prune' as const] : []),
    ...(cut.keep === 'checkpoint' || SIZED.includes(cut.keep)
      ? ['nothing to compact' as const]
      : []),
    ...(pivots ? ['pivot' as const] : []),
    ...(asks
      ? ([
          'failed summary',
          'abort while summarising',
          'prompt while summarising',
          'another model while summarising',
        ] as const)
      : []),
  ];
}
