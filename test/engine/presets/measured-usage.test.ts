import { describe, expect, it } from 'vitest';
import {
  explainMove,
  type LoopInput,
  type Policy,
  policies,
  resolvePolicy,
  type Usage,
} from '../../../src/engine/index.ts';
import { drive } from '../../support/drive.ts';
import { step, text, usage } from '../../support/history.ts';
import { said, summarised } from '../../support/script.ts';
import { movesOf } from '../../support/sessions.ts';

/** The 2.0 engine acts at 80,000 tokens of these. */
const LIMITS = { contextTokens: 100_000, outputTokens: 8_000 };
const MEASURED = 79_000;
const policy: Policy = resolvePolicy(policies['opencode-2.0'], {
  guards: { remindMissingHeadings: false },
});

/** A step that says so many tokens, as the policy estimates them. */
const answered = (id: string, told: Usage | undefined, tokens = 1): LoopInput => ({
  type: 'step-finished',
  message: step(id, [text(`${id}-0`, 'word'.repeat(tokens))], {
    finish: 'tool-calls',
    usage: told,
  }),
});
const measured = answered('s1', usage({ input: MEASURED }));
const lastLines = (...inputs: readonly LoopInput[]) => drive(policy, LIMITS, inputs).lines.at(-1);

describe('a newest step that no provider measured', () => {
  it.each([
    ['none was told', undefined],
    ['every number is 0', usage({})],
  ])('adds its estimate to the last measured one where %s', (_, told) => {
    expect(lastLines(said('u1'), measured, answered('s2', told, 999))).toEqual([
      'request u1 s1 s2',
    ]);
    const over = lastLines(said('u1'), measured, answered('s2', told, 1_000));
    expect(over?.[0]).toBe('overflow before-request');
  });

  it('is explained by the step that was measured', () => {
    const inputs = [said('u1'), measured, answered('s2', undefined, 1_000)];
    const shapes = inputs.map((input) => () => input);
    const [last] = movesOf(policy, LIMITS, shapes).slice(-1);
    const [check] = last === undefined ? [] : explainMove(last).checks;
    expect(check).toMatchObject({ messageId: 's1', newerTokens: 1_000 });
  });

  it('goes back to none from before a pivot, also where it is still shown', () => {
    const keeping = resolvePolicy(policies['opencode-1.18'], {
      trigger: { countsNewerMessages: true, afterStep: false },
    });
    const inputs = [
      ...['1', '2'].flatMap((nth) => [
        said(`u${nth}`),
        answered(`s${nth}`, usage({ input: 10 })),
        said(`v${nth}`),
      ]),
      answered('s0', usage({ input: LIMITS.contextTokens })),
      summarised(),
      answered('s3', undefined),
    ];
    const { lines } = drive(keeping, LIMITS, inputs);
    expect(lines.at(-3)?.[0]).toBe('overflow before-request');
    expect(lines.at(-1)).toEqual([expect.stringMatching(/^request .*\bs0\b.*\bs3$/)]);
  });
});
