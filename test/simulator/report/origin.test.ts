import { expect, it } from 'vitest';
import {
  commonSettings,
  countedBy,
  describeMakers,
  describeOrigin,
} from '../../../src/simulator/report/origin.ts';

it('tells what was set, and by what it was measured', () => {
  expect(
    describeOrigin({
      version: '1.2.3',
      catalog: { source: 'shipped', hash: 'abc' },
      tokenizers: {
        'lab/a': { name: 'o200k_base', evidence: 'estimated' },
        'openai/gpt-4o': { name: 'o200k_base', evidence: 'measured' },
      },
      settings: { contextTokens: 50_000, prune: true },
    }),
  ).toBe(
    "Set: contextTokens=50000, prune=true. Made by: compaction-bench 1.2.3, catalog shipped abc, tokens of lab/a by o200k_base (not the model's own: estimated), openai/gpt-4o by o200k_base (the model's own). Tokens are scaled to a session's recorded usage; where it has none they are not, and its system prompt and tools are assumed: 'run' tells which.",
  );
});

const basis = (model: string) =>
  ({
    name: 'o200k_base',
    evidence: model.startsWith('openai/') ? 'measured' : 'estimated',
  }) as const;

it.each<[string, readonly string[], readonly string[]]>([
  ['none', [], []],
  ['one', ['lab/a'], ['lab/a by OTHER']],
  ['two', ['lab/b', 'lab/a'], ['lab/a and lab/b by OTHER']],
  ['three', ['lab/c', 'lab/a', 'lab/b'], ['lab/a, lab/b and lab/c by OTHER']],
  ['four', ['lab/d', 'lab/c', 'lab/a', 'lab/b'], ['lab/a, lab/b, lab/c and 1 more by OTHER']],
  [
    'some of their own',
    ['openai/b', 'lab/b', 'openai/a', 'lab/a'],
    ['lab/a and lab/b by OTHER', 'openai/a and openai/b by OWN'],
  ],
])('names models once by tokenizer, in one order, for %s', (_, models, counted) => {
  const tokenizers = Object.fromEntries(models.map((model) => [model, basis(model)]));
  const words = {
    OTHER: "o200k_base (not the model's own: estimated)",
    OWN: "o200k_base (the model's own)",
  };
  expect(countedBy(tokenizers)).toEqual(
    counted.map((text) => text.replace('OTHER', words.OTHER).replace('OWN', words.OWN)),
  );
});

it('tells makers without settings, and without what nobody measured', () => {
  const tokenizers = { 'lab/a': { name: 'o200k_base', evidence: 'estimated' } } as const;
  const origin = { version: '1.2.3', tokenizers, settings: { protect: 1 } };
  expect(describeMakers(origin)).toBe(
    "Made by: compaction-bench 1.2.3, tokens of lab/a by o200k_base (not the model's own: estimated).",
  );
  expect(describeMakers()).toBe('');
});

it('says nothing of what is not known', () => {
  expect(describeOrigin({ settings: {} })).toBe('');
  expect(describeOrigin({ version: '1.2.3', settings: {} })).toBe(
    'Made by: compaction-bench 1.2.3.',
  );
  expect(describeOrigin({ settings: { protect: 1 } })).toBe('Set: protect=1.');
});

it('keeps the settings that are the same everywhere', () => {
  const both = { reserved: 10, protect: 2 };
  expect(commonSettings([both, { reserved: 10, protect: 3 }])).toEqual({ reserved: 10 });
  expect(commonSettings([both, { reserved: 10 }])).toEqual({ reserved: 10 });
  expect(commonSettings([both])).toEqual(both);
  expect(commonSettings([])).toEqual({});
});
