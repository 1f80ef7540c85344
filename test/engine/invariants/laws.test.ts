import { describe, expect, it } from 'vitest';
import { laws } from '../../../src/engine/index.ts';
import * as append from './examples/append.ts';
import * as pivot from './examples/pivot.ts';
import * as prune from './examples/prune.ts';
import * as view from './examples/view.ts';

const holding = [append, prune, pivot, view].flatMap((examples) => examples.holding);
const breaking = [append, prune, pivot, view].flatMap((examples) => examples.breaking);

describe('laws', () => {
  it.each(holding)('%s: holds where %s', (law, _, violations) => {
    expect(violations.filter((violation) => violation.law === law)).toEqual([]);
  });

  it.each(breaking)('%s: is broken where %s', (...[law, , violations, messageIds]) => {
    const found = violations.filter((violation) => violation.law === law);
    expect(new Set(found.flatMap((violation) => violation.messageIds))).toEqual(
      new Set(messageIds),
    );
    expect(found[0]?.message).toMatch(/^\S.*\S$/u);
  });

  it.each(Object.entries(laws))(
    '%s says so in one sentence, and has examples',
    (name, { says }) => {
      expect(says).toMatch(/^[A-Z][^.]*\.$/u);
      expect(holding.some(([law]) => law === name)).toBe(true);
      expect(breaking.some(([law]) => law === name)).toBe(true);
    },
  );

  it('checks each law at one moment', () => {
    const moments = Object.values(laws).map(({ check }) => Object.keys(check).length);
    expect(new Set(moments)).toEqual(new Set([1]));
  });
});
