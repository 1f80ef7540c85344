import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, type Part, policies, render } from '../../../src/engine/index.ts';
import { type CheckName, checks } from '../../../src/simulator/provider/checks/checks.ts';
import { findFault } from '../../../src/simulator/provider/checks/create-checker.ts';
import { createFormChecker } from '../../../src/simulator/replay/form.ts';
import { createLedger } from '../../../src/simulator/replay/ledger.ts';
import { step, text, tool, user } from '../../support/history.ts';
import { measuredBasis } from '../../support/sample-report.ts';
import { countTokens } from './lab.ts';
import { assertReaching } from '../../support/reaching.ts';

const RENDER = policies['opencode-1.2.16'].render;
const NAMES = Object.keys(checks) as CheckName[];

const clearedTool = (id: string) => tool(id, 4, { compactedAt: 7 });
const thought = (id: string): Part => ({ type: 'reasoning', id, text: 'so' });

/** Messages of a recording, with whatever else stands in views: cleared ones, the same ids anew, faulty ones. */
const RECORDED: readonly Message[] = [
  user('u1', 'hello'),
  step('s1', [tool('t1', 4)]),
  step('s2', [thought('r2'), tool('t2', 4), tool('t3', 4)]),
  step('s3', [text('p3', 'done')]),
  user('u2', 'go on'),
  step('s4', [tool('t4', 4)]),
];
const OTHERS: readonly Message[] = [
  step('s1', [clearedTool('t1')]),
  step('s5', [tool('t5', 4), tool('t5', 4)]),
  step('s6', [tool('t6', 4), tool('t2', 4)]),
  step('s7', [text('p7', 'x'), thought('r7')]),
  step('s8', [text('p8', ' ')]),
  step('s9', [], { error: { name: 'APIError', message: 'overloaded' } }),
  user('u3', 'half \uD83D'),
];
const ALL = [...RECORDED, ...OTHERS];

/** Beginnings of the recording, with a few messages behind or in their midst. */
const views = fc
  .record({
    length: fc.nat({ max: RECORDED.length }),
    at: fc.nat({ max: RECORDED.length }),
    taken: fc.nat({ max: 1 }),
    added: fc.array(fc.constantFrom(...ALL), { maxLength: 2 }),
  })
  .map(({ length, at, taken, added }) =>
    RECORDED.slice(0, length).toSpliced(Math.min(at, length), taken, ...added),
  );

const bench = () => {
  const scale = { basis: measuredBasis, count: countTokens, render: RENDER };
  return createLedger(scale);
};

describe('a form checker', () => {
  it('finds in views of any order what a look at all of each one finds', () => {
    const met = { fault: 0, none: 0 };
    assertReaching(
      fc.property(
        fc.array(views, { minLength: 1, maxLength: 8 }),
        fc.array(fc.subarray(NAMES), { minLength: 1, maxLength: 2 }),
        (list, namesOfRuns) => {
          const ledger = bench();
          for (const names of namesOfRuns) {
            const form = createFormChecker(names, ledger.pageOf);
            for (const view of list) {
              const expected = findFault(render(view, RENDER), names);
              met[expected === undefined ? 'none' : 'fault'] += 1;
              expect(form.fault(view, ledger.prompt(view))).toBe(expected);
            }
          }
        },
      ),
      { numRuns: 120 },
    );
    expect(Math.min(met.fault, met.none)).toBeGreaterThan(50);
  });

  it.each<[string, readonly Message[], string | undefined]>([
    ['takes ids of other messages', RECORDED, undefined],
    ['finds a message twice', [...RECORDED, ALL[1]!], "Message 9 has another call 'call-t1'."],
    [
      'finds a cleared one again',
      [...RECORDED, OTHERS[0]!],
      "Message 9 has another call 'call-t1'.",
    ],
    ['finds an id anew', [...RECORDED, OTHERS[2]!], "Message 9 has another call 'call-t2'."],
  ])('of ids %s', (_, view, expected) => {
    const ledger = bench();
    const form = createFormChecker(['ids-unique'], ledger.pageOf);
    expect(form.fault(view, ledger.prompt(view))).toBe(expected);
  });
});

describe('a prompt of a ledger', () => {
  it('is the same one for the same beginning of a recording, and for the same message behind it', () => {
    const ledger = bench();
    for (const [index] of RECORDED.entries()) {
      const view = RECORDED.slice(0, index + 1);
      expect(ledger.prompt(view)).toBe(ledger.prompt([...view]));
      const others = OTHERS.map((other) => ledger.prompt([...view, other]));
      for (const [at, other] of OTHERS.entries()) {
        expect(ledger.prompt([...view, other])).toBe(others[at]);
      }
    }
  });

  it('knows what it passes', () => {
    const ledger = bench();
    const { passed } = ledger.prompt(RECORDED);
    const names = ['calls-paired', 'ids-unique', 'user-first', 'text-not-empty'] as const;
    const nobody = createFormChecker(names, () => {
      throw new RangeError('Nobody has to look.');
    });
    expect(nobody.fault(RECORDED, { passed })).toBeUndefined();
  });
});
