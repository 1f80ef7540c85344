import { expect, it } from 'vitest';
import { foldOver } from '../../../src/engine/history.ts';
import { DEFAULT_BY_AGE } from '../../../src/engine/index.ts';
import { outputFold } from '../../../src/engine/prune/by-age.ts';
import { growAll } from '../../support/grow-all.ts';
import { step, tool, user } from '../../support/history.ts';

const ESTIMATOR = { charsPerToken: 4, rounding: 'round' } as const;

it('finds the same in an array as in a log', () => {
  const fold = outputFold(DEFAULT_BY_AGE, ESTIMATOR);
  const messages = [user('u1'), step('s1', [tool('t1', 400)])];
  const found = foldOver(growAll([], messages), fold);
  expect(found.stops?.item).toEqual({ index: 1, throughTokens: 100, behindTokens: 0 });
  expect(foldOver(messages, fold)).toEqual(found);
});
