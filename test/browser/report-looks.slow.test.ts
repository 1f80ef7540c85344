import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { browserNote, hasChromium } from '../support/chromium.ts';
import { HOSTILE, sessionHash, useReportPages } from './report-pages.ts';

const { file, compared, open } = useReportPages();

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
  ])('is accessible: %s', async (_, hash, colorScheme) => {
    const isCompared = hash === '#compared';
    const { page } = await open(isCompared ? '' : hash, {
      colorScheme,
      ...(isCompared && { at: compared }),
    });
    await page.evaluate(axe.source);
    const found = await page.evaluate<{ id: string; nodes: string[] }[]>(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) })))',
    );
    expect(found).toEqual([]);
  });

  it('fits a phone', async () => {
    const { page } = await open('', { viewport: { width: 380, height: 800 } });
    const hashes = ['', sessionHash(HOSTILE), `${sessionHash(HOSTILE)}/step/16`, '#/policy/none'];
    for (const address of [...hashes.map((hash) => `${file}${hash}`), compared]) {
      await page.goto(address);
      await page.locator('h1').waitFor();
      const wide = await page.evaluate<string[]>(
        `[...document.querySelectorAll('body *')].filter((one) => !one.closest('.scroll') && one.getBoundingClientRect().right > 381).map((one) => one.outerHTML.slice(0, 80))`,
      );
      expect(wide).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(380);
    }
  });

  it('names columns, bars and colours on paper too', async () => {
    const { page } = await open('', { at: compared });
    await page.emulateMedia({ media: 'print' });
    const heads = await page.locator('th[scope=col]').allInnerTexts();
    expect(heads).toContain('Verdict');
    expect(heads).not.toContain('');
    expect(await page.getByText('Retention (higher is better)').isVisible()).toBe(true);
    expect(await page.getByText('CSV', { exact: true }).first().isVisible()).toBe(false);
    await page.goto(`${file}${sessionHash('sessions/one.jsonl')}`);
    await page.locator('.plot').first().waitFor();
    expect(await page.getByText('read from the cache').isVisible()).toBe(true);
  });
});
