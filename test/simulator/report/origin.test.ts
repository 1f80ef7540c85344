import { expect, it } from 'vitest';
import { commonSettings, describeOrigin } from '../../../src/simulator/report/origin.ts';

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
