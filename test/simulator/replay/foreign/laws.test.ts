import { expect, it } from 'vitest';
import type { ModelContent } from '../../../../src/engine/index.ts';
import { listLaws } from '../../../../src/simulator/replay/foreign/compactor.ts';

const text = (words: string): ModelContent => ({ type: 'text', text: words });
const picture: ModelContent = { type: 'file', mime: 'image/png', url: 'data:,' };
const message = (...content: readonly ModelContent[]) => ({ role: 'user' as const, content });

it.each<[string, readonly ModelContent[], readonly ModelContent[], boolean]>([
  ['both texts in one', [text('a1'), text('b2')], [text('before a1 b2 behind')], true],
  ['one of two texts', [text('a1'), text('b2')], [text('a1')], false],
  ['the text of a picture', [text('a1'), picture], [text('a1'), picture], false],
])('a newest request is visible in another message: %s', (_, asked, left, isKept) => {
  const newestRequest = message(...asked);
  const broken = listLaws['newest-request-visible'].check({
    before: [newestRequest],
    after: [message(...left)],
    contextBeforeTokens: 2,
    contextAfterTokens: 1,
    newestRequest,
    unanswered: [],
    isRefused: false,
  });
  expect(broken === undefined).toBe(isKept);
});
