import { describe, expect, it, vi } from 'vitest';
import type { Message, Part } from '../../../../src/engine/index.ts';
import { isCarried } from '../../../../src/simulator/replay/references/needs.ts';
import { text, user } from '../../../support/history.ts';

const SOUGHT = 'Keep the tests\ngreen.';

/** Whether a text of a policy shows another one, which it put away. */
function carries(shown: string, value = SOUGHT): boolean {
  const message: Message = user('u1', text('u1-0', value));
  const part = message.parts[0] as Part;
  return isCarried([user('own', text('own-0', shown))], { message, part, side: 'said' });
}

describe('isCarried', () => {
  it.each([
    ['the text alone', SOUGHT, true],
    ['its lines at the beginning', `${SOUGHT}\nMore.`, true],
    ['its lines at the end', `Before.\n${SOUGHT}`, true],
    ['its lines between others', `Before.\n${SOUGHT}\nMore.`, true],
    ['its lines behind the same within a line', `Do: ${SOUGHT}\n${SOUGHT}\nMore.`, true],
    ['its lines behind the same with more on the line', `${SOUGHT} Or not.\n${SOUGHT}`, true],
    ['the same within a line', `Do: ${SOUGHT}`, false],
    ['the same with more on the line', `${SOUGHT} Or not.`, false],
    ['a part of it', 'Keep the tests', false],
    ['something else', 'Before.\nMore.', false],
    ['nothing', '', false],
  ])('of %s: %j is %j', (_, shown, expected) => {
    expect(carries(shown)).toBe(expected);
  });

  it('finds nothing where nothing is sought', () => {
    expect(carries('\n\n', '')).toBe(false);
    expect(carries('', '')).toBe(false);
  });

  it('is not slowed down by a text that is like the sought one everywhere', () => {
    const ruler = '-'.repeat(50_000);
    const search = vi.spyOn(String.prototype, 'indexOf');
    expect(carries(`${ruler}${ruler}!`, ruler)).toBe(false);
    const searches = search.mock.calls.filter(([sought]) => sought === ruler).length;
    search.mockRestore();
    expect(searches).toBe(1);
  });
});
