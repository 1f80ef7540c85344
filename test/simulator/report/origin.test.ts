import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  commonSettings,
  countedBy,
  countRecordedModels,
  describeOrigin,
  describeRecordedModels,
  namePaths,
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

it('keeps the settings that are the same everywhere', () => {
  const both = { reserved: 10, protect: 2 };
  expect(commonSettings([both, { reserved: 10, protect: 3 }])).toEqual({ reserved: 10 });
  expect(commonSettings([both, { reserved: 10 }])).toEqual({ reserved: 10 });
  expect(commonSettings([both])).toEqual(both);
  expect(commonSettings([])).toEqual({});
});

describe('namePaths', () => {
  it.each<[string, string[], string[]]>([
    ['short paths whole', ['a/b.json', 'c.json'], ['a/b.json', 'c.json']],
    [
      'long paths by their end',
      ['home/user/one.json', 'home/user/two.json'],
      ['…/user/one.json', '…/user/two.json'],
    ],
    [
      'paths that end alike by as much as tells them apart',
      ['home/user/1111/history.json', 'home/user/2222/history.json', 'home/user/one.json'],
      ['…/user/1111/history.json', '…/user/2222/history.json', '…/user/one.json'],
    ],
    [
      'what is alike up to its start by all of it',
      ['x/a/long/folder/history.json', 'a/long/folder/history.json'],
      ['x/a/long/folder/history.json', 'a/long/folder/history.json'],
    ],
  ])('names %s', (_, paths, expected) => {
    const names = namePaths(paths, 16);
    expect(paths.map((path) => names.get(path))).toEqual(expected);
  });

  const path = fc
    .array(fc.constantFrom('a', 'bb', 'session'), { minLength: 1, maxLength: 8 })
    .map((folders) => folders.join('/'));
  it('names no two paths alike', () => {
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 8 }), (paths) => {
        expect(new Set(namePaths(paths, 8).values()).size).toBe(paths.length);
      }),
    );
  });
});

const OPUS = 'anthropic/claude-opus-4-5-20251101';
const SAME = 'anthropic/claude-sonnet-4-5-20250929';

const RECORDED: readonly (readonly [string, readonly (string | undefined)[]])[] = [
  ['sessions of an unknown model', [undefined, undefined]],
  ['those that the bench recorded', ['compaction-bench/scripted']],
  ['those of the same model', [SAME, 'anthropic/claude-sonnet-4-5', undefined]],
  ['one of several', [OPUS, SAME]],
  [
    'the most frequent models, whatever their releases and the order of sessions',
    ['openai/e', 'openai/d', 'openai/c', 'openai/b', OPUS, 'anthropic/claude-opus-4-5'],
  ],
  ['no unknown model among those that it counts', [OPUS, undefined, SAME]],
  ['a session on its own', [OPUS]],
];

describe('describeRecordedModels', () => {
  it('tells of sessions that another model recorded', async () => {
    const told = RECORDED.map(([title, models]) => {
      const recorded = countRecordedModels(models.map((recordedModel) => ({ recordedModel })));
      const against = ['anthropic/claude-sonnet-4-5'];
      return `${title}: ${describeRecordedModels(recorded, { against }).join(' ') || '–'}\n`;
    });
    await expect(told.join('')).toMatchFileSnapshot('../../fixtures/snapshots/recorded-models.txt');
  });

  it('counts no session that is not replayed', () => {
    const sessions = [{ recordedModel: OPUS }, { recordedModel: OPUS, skipped: 'a copy' }, {}];
    expect(countRecordedModels(sessions)).toEqual({ sessions: 2, models: { [OPUS]: 1 } });
  });
});
