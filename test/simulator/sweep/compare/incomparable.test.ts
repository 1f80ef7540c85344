import { expect, it } from 'vitest';
import { compareSides } from '../../../../src/simulator/sweep/compare/compare-sides.ts';
import type { Side } from '../../../../src/simulator/sweep/compare/pair-sides.ts';
import { row, side } from './sample-sides.ts';

const ofCatalog = (hash: string) => ({
  origin: { catalog: { source: 'shipped', hash }, settings: {} },
});

it.each<[string, Side, Side, string]>([
  [
    'another model',
    side('a', [row('x')]),
    side('b', [row('x', { model: 'lab/other' })]),
    'a and b differ in their model: lab/model against lab/other',
  ],
  [
    'another summarizer',
    side('a', [row('x')]),
    side('b', [row('x', { summarizer: 'scripted:ratio' })]),
    'a and b differ in their summarizer: extractive against scripted:ratio',
  ],
  [
    'another schema',
    side('a', [row('x')]),
    side('b', [row('x')], { schemaVersion: 2 }),
    'a and b differ in the version of their schema: 1 against 2',
  ],
  [
    'a closed loop',
    side('a', [row('x')]),
    side('b', [row('x')], { mode: 'closed-loop' }),
    'a and b differ in their mode: open-loop against closed-loop',
  ],
  [
    'another catalog',
    side('a', [row('x')], ofCatalog('abc')),
    side('b', [row('x')], ofCatalog('def')),
    'a and b differ in their catalog: abc against def',
  ],
  [
    'sessions that went on',
    side('a', [row('x', { sessionHash: 'h' })]),
    side('b', [row('x', { sessionHash: 'i' })], ofCatalog('def')),
    'a and b have no session of the same content that completed on both sides',
  ],
  [
    'no session in common',
    side('a', [row('x')]),
    side('b', [row('y')]),
    'a and b have no session of the same name',
  ],
  [
    'what completed nowhere',
    side('a', [row('x')]),
    side('b', [row('x', { state: 'refused' })]),
    'a and b have no session that completed on both sides',
  ],
  [
    'several policies and none in common',
    side('a', [row('x'), row('x', { policy: 'document-000' })]),
    side('b', [row('x', { policy: 'document-001' })]),
    'a and b have several policies or settings, and none in common',
  ],
])('cannot compare %s', (_, a, b, reason) => {
  expect(compareSides(a, b, { seed: 1 })).toEqual({ state: 'incomparable', reason });
});
