import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toTextRequest } from '../../../../src/simulator/summarizer/model/prompt.ts';
import { file, step, text, toolIn, user } from '../../../support/history.ts';
import { heads } from '../heads.ts';

describe('toTextRequest', () => {
  it('tells calls, results and files in words, and joins neighbours of one role', async () => {
    const call = toolIn(
      't',
      { status: 'completed', input: { path: 'a.ts' }, output: 'code' },
      'read',
    );
    const failed = toolIn('e', { status: 'error', input: {}, error: 'no such file' }, 'edit');
    const messages = [
      user('u1', 'Mend it.', file('f', 'image/png', { filename: 'shot.png' })),
      step('s1', [call, failed]),
      step('s2', [text('x', 'Mended.')]),
      user('u2', 'Thanks.'),
    ];
    const request = toTextRequest({ system: 'Be brief.', messages, prompt: 'Summarise.' });
    await expect(request).toMatchFileSnapshot(
      '../../../fixtures/snapshots/simulator-summarizer-model-prompt.txt',
    );
  });

  it('makes of any head what every provider takes', () => {
    fc.assert(
      fc.property(heads, (messages) => {
        const request = toTextRequest({ system: '', messages, prompt: 'Summarise.' });
        const roles = request.messages.map(({ role }) => role);
        expect(roles[0]).toBe('user');
        expect(roles.at(-1)).toBe('user');
        expect(roles.some((role, index) => role === roles[index + 1])).toBe(false);
        for (const { content } of request.messages) {
          expect(content).not.toBe('');
          expect(content).not.toMatch(/\p{Cs}/u);
        }
      }),
    );
  });
});
