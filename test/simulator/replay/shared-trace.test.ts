import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type PolicyName, policies } from '../../../src/engine/index.ts';
import { file, user } from '../../support/history.ts';
import { call, chat, modelOf, run, traceOf, wordsOf } from './lab.ts';

const names = Object.keys(policies) as readonly PolicyName[];
const session = [
  ...chat(6, 1_000),
  user('u7', wordsOf(500), file('f1', 'image/png')),
  ...['c1', 'c2', 'c3', 'c4', 'c5', 'c6'].map((id) => call(id, 1_500, { parentId: 'u7' })),
  ...chat(3, 700).map((message) => ({ ...message, id: `later-${message.id}` })),
];
const runs = fc.record({
  name: fc.constantFrom(...names),
  tokens: fc.constantFrom(6_000, 8_000, 12_000),
  mode: fc.constantFrom('open-loop', 'closed-loop'),
});

it('gives every run what it would have alone, whatever was run on its trace before', () => {
  let pivots = 0;
  fc.assert(
    fc.property(fc.array(runs, { minLength: 2, maxLength: 5 }), (list) => {
      const shared = traceOf(session);
      for (const { name, tokens, mode } of list) {
        const options = {
          policy: policies[name],
          mode,
          model: modelOf({ cache: 'anthropic-5m', trueContextTokens: tokens }),
        };
        const { events } = run(shared, options);
        expect(JSON.stringify(events)).toBe(JSON.stringify(run(session, options).events));
        pivots += events.filter(({ type }) => type === 'pivot').length;
      }
    }),
    { numRuns: 10 },
  );
  expect(pivots).toBeGreaterThan(5);
});
