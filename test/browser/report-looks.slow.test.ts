import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { browserNote, hasChromium } from '../support/chromium.ts';
import { HOSTILE, sessionHash, useReportPages } from './report-pages.ts';

const { file, compared, crowded, uneven, impossible, forked, tuned, told, open } = useReportPages();

describe.skipIf(!hasChromium)(`a report for all eyes and screens in Chromium${browserNote}`, () => {
  it.each<[string, string, 'light' | 'dark']>([
    ['the overview by day', '', 'light'],
    ['the overview by night', '', 'dark'],
    ['a session by day', sessionHash('sessions/one.jsonl'), 'light'],
    ['a session by night', sessionHash('sessions/one.jsonl'), 'dark'],
    ['a step', `${sessionHash('sessions/one.jsonl')}/step/15`, 'light'],
    ['a step with texts by night', `${sessionHash(HOSTILE)}/step/16`, 'dark'],
    ['a policy', '#/policy/none', 'light'],
    ['what was compared by day', '#compared', 'light'],
    ['what was compared by night', '#compared', 'dark'],
    ['a document', '#told', 'light'],
  ])('is accessible: %s', async (_, hash, colorScheme) => {
    const at = new Map([
      ['#compared', compared],
      ['#told', told],
    ]).get(hash);
    const { page } = await open(at === undefined ? hash : '', { colorScheme, ...(at && { at }) });
    await page.evaluate(axe.source);
    const found = await page.evaluate<{ id: string; nodes: string[] }[]>(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) })))',
    );
    expect(found).toEqual([]);
  });

  it('fits a phone', async () => {
    const { page } = await open('', { viewport: { width: 380, height: 800 } });
    const hashes = ['', sessionHash(HOSTILE), `${sessionHash(HOSTILE)}/step/16`, '#/policy/none'];
    for (const address of [...hashes.map((hash) => `${file}${hash}`), compared, crowded, tuned]) {
      await page.goto(address);
      await page.locator('h1').waitFor();
      const wide = await page.evaluate<string[]>(
        `[...document.querySelectorAll('body *')].filter((one) => !one.closest('.scroll') && one.getBoundingClientRect().right > 381).map((one) => one.outerHTML.slice(0, 80))`,
      );
      expect(wide).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(380);
    }
  });

  it('has nothing off screen at 1280 pixels', async () => {
    const { page } = await open('', { viewport: { width: 1280, height: 800 } });
    for (const address of [file, uneven, impossible, forked, compared, crowded, tuned]) {
      await page.goto(address);
      await page.locator('h1').waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280);
      const wide = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.getAttribute('aria-label'))`,
      );
      expect(wide).toEqual([]);
    }
  });

  it('uses the width of the window', async () => {
    const { page } = await open('', { viewport: { width: 1920, height: 1080 } });
    const box = await page.locator('table', { hasText: 'The dearest first' }).boundingBox();
    expect(box?.width).toBeGreaterThan(1_750);
  });

  it('goes on with a line that differs below its words on a phone', async () => {
    const { page } = await open('', { at: compared, viewport: { width: 380, height: 800 } });
    const line = page.locator('.diff .line').first();
    const boxes = await line.evaluate((one) => {
      const range = one.ownerDocument.createRange();
      range.selectNodeContents(one);
      return [...range.getClientRects()].map(({ left, top }) => ({ left, top }));
    });
    const [first] = boxes;
    const below = boxes.find(({ top }) => top > (first?.top ?? 0) + 5);
    expect(below?.left).toBeGreaterThan((first?.left ?? 0) + 50);
  });

  it('breaks no number of a name on a phone', async () => {
    const { page } = await open('', { at: tuned, viewport: { width: 380, height: 800 } });
    const name = page.locator('tbody th', { hasText: 'contextTokens=128000' });
    const lines = await name.evaluate((one) => {
      const range = one.ownerDocument.createRange();
      range.selectNodeContents(one);
      return range.getClientRects().length;
    });
    expect(lines).toBe(1);
  });

  it.each([380, 1200])(
    'names points without a name over another, %i pixels wide',
    async (width) => {
      const { page } = await open('', { at: crowded, viewport: { width, height: 900 } });
      const drawing = page.getByRole('img', { name: 'Points of' });
      const boxesOf = (selector: string) =>
        drawing.locator(selector).evaluateAll((all) =>
          all.map((one) => {
            const { left, right, top, bottom } = one.getBoundingClientRect();
            return { left, right, top: top + 2, bottom: bottom - 2, words: one.textContent };
          }),
        );
      const [labels, [whole]] = [await boxesOf('.label'), await boxesOf(':scope')];
      const clashes = labels.flatMap((one, index) =>
        labels
          .slice(index + 1)
          .filter((other) => one.left < other.right && other.left < one.right)
          .filter((other) => one.top < other.bottom && other.top < one.bottom)
          .map((other) => [one.words, other.words]),
      );
      expect(clashes).toEqual([]);
      expect(labels.length).toBeGreaterThan(2);
      expect(labels.every(({ words }) => words?.endsWith(' and 1 more'))).toBe(true);
      for (const { left, right } of labels) {
        expect(left).toBeGreaterThanOrEqual(whole?.left ?? 0);
        expect(right).toBeLessThanOrEqual((whole?.right ?? 0) + 1);
      }
      expect(await drawing.locator('title').allTextContents()).toHaveLength(6);
      expect(await page.locator('figcaption').textContent()).toContain('for all names');
    },
  );

  it.each(['Retention', 'Less', 'Tokens less'])(
    'has room for all that is written about the bars of %s',
    async (title) => {
      const { page } = await open('', { at: compared });
      const drawing = page.locator(`svg[aria-label^="${title}. "]`);
      const boxes = await drawing.locator(':scope, text').evaluateAll((all) =>
        all.map((one) => {
          const { left, right } = one.getBoundingClientRect();
          return { left, right };
        }),
      );
      const [whole, ...texts] = boxes;
      expect(texts.length).toBeGreaterThan(3);
      for (const { left, right } of texts) {
        expect(left).toBeGreaterThanOrEqual(whole?.left ?? 0);
        expect(right).toBeLessThanOrEqual(whole?.right ?? 0);
      }
    },
  );

  it.each([380, 1200])(
    'breaks captions where a table is wider than what is seen of it, %i pixels wide',
    async (width) => {
      const { page } = await open('', { viewport: { width, height: 900 } });
      const captions = await page.locator('.scroll caption').evaluateAll((all) =>
        all.map((one) => {
          const box = one.closest('.scroll')?.getBoundingClientRect();
          const range = one.ownerDocument.createRange();
          range.selectNodeContents(one);
          return { words: range.getBoundingClientRect().right, seen: box?.right ?? 0 };
        }),
      );
      expect(captions.length).toBeGreaterThan(1);
      for (const { words, seen } of captions) expect(words).toBeLessThanOrEqual(seen);
    },
  );

  it('names columns, bars and colours on paper too', async () => {
    const { page } = await open('', { at: compared });
    await page.emulateMedia({ media: 'print' });
    const heads = await page.locator('th[scope=col]').allInnerTexts();
    expect(heads.length).toBeGreaterThan(1);
    expect(heads).not.toContain('');
    expect(await page.getByText('Retention (higher is better)').isVisible()).toBe(true);
    expect(await page.getByText('CSV', { exact: true }).first().isVisible()).toBe(false);
    await page.goto(`${file}${sessionHash('sessions/one.jsonl')}`);
    await page.locator('.plot').first().waitFor();
    expect(await page.getByText('read from the cache').isVisible()).toBe(true);
  });
});
