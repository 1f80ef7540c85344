import { describe, expect, it } from 'vitest';
import { mixOf } from '../../../../../src/simulator/report/html/page/mix.js';
import {
  changesAt,
  fitParts,
  isShownState,
  partsAt,
  shownTokens,
} from '../../../../../src/simulator/report/html/page/parts.js';
import type { RunView } from '../../../../../src/simulator/report/saved/shapes.ts';

/** Two parts, then two more of which the second clears the first, then a summary in the place of the first three. */
const view: RunView = {
  kinds: ['request', 'tool bash', 'summary'],
  kind: [0, 1, 1, 0, 2],
  tokens: [10, 100, 200, 20, 30],
  came: [2, 2, 1],
  changes: [
    [1, 1, 1, 1, 5],
    [2, 2, 0, 3, 0],
    [2, 5, 4, 1, 30],
  ],
  pauses: [0, 1, 2],
};
const context = [150, 300, 80];

describe('partsAt', () => {
  it('has the parts that have come by a step as they are there', () => {
    expect(partsAt(view, 0).map(({ state, tokens }) => [state, tokens])).toEqual([
      [0, 10],
      [0, 100],
    ]);
    expect(partsAt(view, 2).map(({ came, state, tokens }) => [came, state, tokens])).toEqual([
      [0, 2, 0],
      [0, 2, 0],
      [1, 2, 0],
      [1, 0, 20],
      [2, 5, 30],
    ]);
  });

  it('keeps what a part had when it came', () => {
    expect(partsAt(view, 1)[1]).toMatchObject({ tokens: 5, firstTokens: 100, kind: 'tool bash' });
  });
});

describe('changesAt', () => {
  it.each<[string, number, readonly string[]]>([
    ['at first all comes', 0, ['+1', '+2']],
    ['what is shown otherwise has changed', 1, ['~2', '+3', '+4']],
    ['what is hidden went', 2, ['−1', '−2', '−3', '+5']],
  ])('%s', (_, step, expected) => {
    expect(changesAt(view, step).map(({ sign, part }) => `${sign}${part.index + 1}`)).toEqual(
      expected,
    );
  });
});

describe('mixOf', () => {
  it('splits every request into what it shows by kind, and the rest', () => {
    const mix = mixOf({ context, base: 0 }, view);
    expect(mix.map(({ name, values }) => [name, ...values])).toEqual([
      ['system prompt, tools, frames', 40, 65, 30],
      ['bash', 100, 205, 0],
      ['requests', 10, 30, 20],
      ['summaries', 0, 0, 30],
    ]);
  });

  it('shows at every step what its parts add up to', () => {
    const kinds = mixOf({ context, base: 0 }, view).slice(1);
    const sums = context.map((_, step) =>
      kinds.reduce((sum, { values }) => sum + (values[step] ?? 0), 0),
    );
    expect(sums).toEqual(context.map((_, step) => shownTokens(partsAt(view, step))));
    expect(partsAt(view, 2).filter(({ state }) => !isShownState(state))).toHaveLength(3);
  });

  it('scales parts to the measured context and keeps system prompt and tools', () => {
    const detail = { context: [90, 300, 80], base: 60 };
    const mix = mixOf(detail, view);
    expect(mix[0]?.values).toEqual([60, 65, 60]);
    expect(
      detail.context.map((_, step) => mix.reduce((sum, { values }) => sum + values[step]!, 0)),
    ).toEqual(detail.context);
    expect(shownTokens(fitParts(detail, 2, partsAt(view, 2)))).toBe(20);
    expect(fitParts(detail, 1, partsAt(view, 1))).toEqual(partsAt(view, 1));
  });

  it('takes small kinds together where there are many', () => {
    const names = Array.from({ length: 9 }, (_, index) => `tool t${index}`);
    const many = {
      ...view,
      kinds: names,
      kind: names.map((_, index) => index),
      tokens: names.map((_, index) => 100 - index),
      came: [9],
      changes: [],
    };
    const mix = mixOf({ context: [1_000], base: 0 }, many);
    expect(mix.map(({ name }) => name)).toEqual([
      'system prompt, tools, frames',
      't0',
      't1',
      't2',
      't3',
      't4',
      't5',
      't6',
      'everything else',
    ]);
    expect(mix.at(-1)?.values).toEqual([93 + 92]);
  });
});
