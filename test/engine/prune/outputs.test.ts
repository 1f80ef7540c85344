import { expect, it } from 'vitest';
import { DEFAULT_BY_AGE } from '../../../src/engine/index.ts';
import { outputFold } from '../../../src/engine/prune/outputs.ts';
import { foldOver } from '../../../src/engine/series/fold.ts';
import { step, user } from '../../support/history.ts';

it('keeps what a history was found to hold by the messages of that history, and by nothing that outlives them', () => {
  const fold = outputFold(DEFAULT_BY_AGE, { charsPerToken: 4, rounding: 'round' });
  const [first, asked] = [user('u1'), user('u2')];
  const outputs = foldOver([first], fold);
  const known = foldOver([first, asked], fold);
  foldOver([first, step('s1')], fold);
  expect(outputs.others?.get(asked)).toBe(known);
  expect(outputs.others?.has(known.meaning ?? asked)).toBe(false);
});
