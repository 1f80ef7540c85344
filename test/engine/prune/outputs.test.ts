import { expect, it } from 'vitest';
import { DEFAULT_BY_AGE, type Message } from '../../../src/engine/index.ts';
import { outputFold } from '../../../src/engine/prune/outputs.ts';
import { foldOver } from '../../../src/engine/series/fold.ts';
import { grow } from '../../../src/engine/series/series.ts';
import { step, tool, user } from '../../support/history.ts';

const ESTIMATOR = { charsPerToken: 4, rounding: 'round' } as const;

const seriesOf = (...messages: readonly Message[]): readonly Message[] =>
  messages.reduce<readonly Message[]>((series, message) => grow(series, message), []);

it('keeps what a history was found to hold by the messages of that history, and by nothing that outlives them', () => {
  const fold = outputFold(DEFAULT_BY_AGE, ESTIMATOR);
  const [first, asked] = [user('u1'), user('u2')];
  const outputs = foldOver(seriesOf(first), fold);
  const known = foldOver(seriesOf(first, asked), fold);
  foldOver(seriesOf(first, step('s1')), fold);
  expect(outputs.others?.get(asked)).toBe(known);
  expect(outputs.others?.has(known.meaning ?? asked)).toBe(false);
});

it('finds the same in a list that was made for one look, and keeps nothing of it', () => {
  const fold = outputFold(DEFAULT_BY_AGE, ESTIMATOR);
  const [asked, answered] = [user('u1'), step('s1', [tool('t1', 400)])];
  const begun = foldOver(seriesOf(asked), fold);
  const found = foldOver([asked, answered], fold);
  expect(begun.next).toBeUndefined();
  const { length, turns, summaries, stops } = foldOver(seriesOf(asked, answered), fold);
  expect(stops?.item).toEqual({ index: 1, throughTokens: 100, behindTokens: 0 });
  expect(found).toMatchObject({ length, turns, summaries, stops });
});
