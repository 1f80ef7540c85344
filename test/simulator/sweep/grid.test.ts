import { describe, expect, it } from 'vitest';
import { readCatalog } from '../../../src/simulator/provider/catalog.ts';
import { parseArm } from '../../../src/simulator/scenario/arms.ts';
import { buildGrid, expandAxes, parseAxes } from '../../../src/simulator/sweep/grid.ts';

const catalog = readCatalog();
const base = {
  arm: parseArm('opencode-1.2.16'),
  model: 'anthropic/claude-sonnet-4-5',
  summarizer: 'extractive',
  settings: { protect: 30_000 },
};

describe('parseAxes', () => {
  it.each([
    ['numbers of tokens', 'reserved=10000,20k,1.5M', [10_000, 20_000, 1_500_000]],
    ['switches', 'prune=true,false', [true, false]],
    ['shares', 'triggerFraction=0.8,.9', [0.8, 0.9]],
    ['policies', 'policy=none,document-001', ['none', 'document-001']],
    [
      'summarizers',
      'summarizer=scripted:ratio=0.1,extractive',
      ['scripted:ratio=0.1', 'extractive'],
    ],
    ['values with blanks', ' reserved = 1 , 2 ', [1, 2]],
  ])('reads %s', (_, text, values) => {
    expect(parseAxes([text])[0]?.values).toEqual(values);
  });
});

describe('expandAxes', () => {
  it('gives every combination, the last axis fastest', () => {
    expect(expandAxes(parseAxes(['reserved=1,2', 'prune=true,false']))).toEqual([
      [1, true],
      [1, false],
      [2, true],
      [2, false],
    ]);
  });

  it('gives one point of nothing without axes', () => {
    expect(expandAxes([])).toEqual([[]]);
  });
});

describe('buildGrid', () => {
  it('puts policies, models, summarizers and settings in force', () => {
    const axes = parseAxes([
      'policy=opencode-1.2.16,document-001',
      'contextTokens=64k,128k',
      'summarizer=scripted:empty,extractive',
    ]);
    const cells = buildGrid(base, axes, { catalog });
    expect(cells).toHaveLength(8);
    expect(new Set(cells.map(({ id }) => id)).size).toBe(8);
    const last = cells.at(-1)!;
    expect(last.settings).toEqual({ protect: 30_000, contextTokens: 128_000 });
    expect(last.policy.name).toBe('document-001');
    expect(last.policy.prune.byAge.protectTokens).toBe(30_000);
    expect(last.model.limits.contextTokens).toBe(128_000);
    expect(last.summarizer).toBe('extractive');
  });

  it('lets the settings of a policy win over those of all', () => {
    const axes = parseAxes(['policy=opencode-1.18 protect=50K,opencode-1.18']);
    const cells = buildGrid(base, axes, { catalog });
    const told = cells.map(({ policy, settings }) => [
      policy.name,
      policy.prune.byAge.protectTokens,
      settings,
    ]);
    expect(told).toEqual([
      ['opencode-1.18 protect=50000', 50_000, { protect: 30_000 }],
      ['opencode-1.18', 30_000, { protect: 30_000 }],
    ]);
  });

  it('gives a cell the same id whatever else is varied', () => {
    const alone = buildGrid(base, parseAxes(['reserved=1']), { catalog })[0];
    const among = buildGrid(base, parseAxes(['reserved=5,1']), { catalog })[1];
    expect(among).toEqual(alone);
  });

  it('names the nearest models', () => {
    const axes = parseAxes(['model=anthropic/claude-sonnet-4-6-x']);
    expect(() => buildGrid(base, axes, { catalog })).toThrow(/Unknown model/);
  });
});
