import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserNote, hasChromium } from '../support/chromium.ts';
import { SESSIONS, sessionHash, useReportPages } from './report-pages.ts';

const { file, compared, uneven, forked, impossible, tuned, open } = useReportPages();

/** The fold in which every number is. */
async function unfold(page: Page): Promise<void> {
  await page.getByText('All metrics and every run').click();
}

function isGreen(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map(Number);
  return green > red + 20 && green > blue + 20;
}

/** What is saved when a button is clicked. */
async function savedBy(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).click(),
  ]);
  return readFileSync(await download.path(), 'utf8');
}

describe.skipIf(!hasChromium)(`the overview of a report in Chromium${browserNote}`, () => {
  it('says nothing to the console and asks for nothing but itself', async () => {
    const { page, said, requested } = await open();
    await page.goto(`${file}${sessionHash(SESSIONS[0] ?? '')}`);
    await page.locator('.plot').first().waitFor();
    expect(said).toEqual([]);
    expect(requested.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual(
      [],
    );
  });

  it('begins with the verdict, then points, policies and sessions, with all else behind folds', async () => {
    const { page } = await open();
    const [title, verdict] = await page.locator('main > *').allTextContents();
    expect(title).toBe('Compaction of 3 sessions');
    expect(verdict).toMatch(
      /^Never compacting costs \$8\.25 where opencode-1\.2\.16 costs \$8\.55/,
    );
    expect(await page.locator('h2').allTextContents()).toEqual([
      'Cost against losses',
      'Side by side',
      'Sessions by cost',
    ]);
    const folds = page.locator('main > details > summary');
    expect(await folds.allTextContents()).toEqual([
      'All metrics and every run',
      'Sources of the numbers',
    ]);
    await folds.first().click();
    await page.locator('h2', { hasText: /^Sessions$/ }).waitFor();
    const tables = page.locator('table');
    expect(await tables.count()).toBe(await page.locator('table > caption').count());
  });

  it('weighs policies over the sessions that the baseline completed, and draws sessions by what they cost', async () => {
    const { page } = await open('', { at: uneven });
    const rows = page.locator('table', { hasText: 'Sums over' }).locator('tbody tr');
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^none\s+[^$]*\s+\$12\.00\s+75\s+6$/),
      expect.stringMatching(/^opencode-1\.2\.16\s+[^$]*\s+\$9\.00\s+75\s+6$/),
      expect.stringMatching(/^document-002\s+[^]*\s+\$4\.00\s+50\s+4$/),
    ]);
    await page.goto(file);
    const sessions = page.locator('table', { hasText: 'The dearest first' }).locator('tbody tr');
    expect(await sessions.locator('td').first().locator('.tick').count()).toBe(1);
    expect(await sessions.allInnerTexts()).toEqual([
      expect.stringContaining('$3.85'),
      expect.stringMatching(/^sessions\/two\.jsonl\s+\$2\.75[^$]*\$2\.85/),
      expect.stringContaining('$1.85'),
    ]);
  });

  it('draws what nobody can choose hollow, and nothing of it in green', async () => {
    const { page } = await open('', { at: impossible });
    const point = page.getByRole('img', { name: 'Points of' }).locator('circle.hollow');
    expect(await point.locator('title').textContent()).toBe('none (impossible): $9.50, 0');
    const [fills, colors] = await page.evaluate<[string[], string[]]>(`(() => {
      const point = getComputedStyle(document.querySelector('circle.hollow'));
      const swatch = document.querySelector('.swatch.hollow');
      const cells = [swatch, ...swatch.closest('tr').querySelectorAll('td, .soft')];
      const colors = cells.map((one) => getComputedStyle(one).color);
      return [[point.fill, getComputedStyle(swatch).backgroundColor], [point.stroke, ...colors]];
    })()`);
    expect(fills).toEqual(['none', 'rgba(0, 0, 0, 0)']);
    expect(colors.length).toBeGreaterThan(5);
    expect(colors.filter(isGreen)).toEqual([]);
    expect(isGreen('rgb(23, 105, 58)')).toBe(true);
  });

  it('filters, keeps the filter in the address, and comes back to it', async () => {
    const { page } = await open();
    await unfold(page);
    await page.locator('#filter').fill('two');
    expect(await page.locator('[role=status]').textContent()).toBe('2 of 6 runs');
    const { page: again } = await open(new URL(page.url()).hash);
    expect(await again.locator('[role=status]').textContent()).toBe('2 of 6 runs');
    expect(await again.locator('#filter').inputValue()).toBe('two');
  });

  it('sorts by a column and says so', async () => {
    const { page } = await open();
    await unfold(page);
    const table = page.locator('table', { hasText: 'Every run' });
    const byCost = table.getByRole('button', { name: 'Cost, re-reads included', exact: true });
    await byCost.click();
    const head = table.locator('th[aria-sort]');
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    expect(await table.locator('tbody tr').first().textContent()).toContain('$3.85');
    await byCost.click();
    expect(await table.locator('tbody tr').first().textContent()).toContain('$1.75');
  });

  it('says of each distance to the bound how many sessions it is known of', async () => {
    const { page } = await open('', { at: uneven });
    await unfold(page);
    const csv = await savedBy(page, 'Save as CSV: Mean per session of what is above');
    const [head = '', ...rows] = csv.split('\r\n').map((line) => line.split(','));
    const known = (title: string) => {
      const at = head.indexOf(title);
      expect(head.slice(at + 1, at + 3)).toEqual(['95 % interval', 'Sessions']);
      return rows.slice(0, 3).map((row) => row[at + 2]);
    };
    expect(known('Cost above bound')).toEqual(['3', '3', '2']);
    expect(known('Competitive ratio (mean of ratios)')).toEqual(['1', '1', '1']);
  });

  it('says so where an address names nothing', async () => {
    const { page } = await open('#/session/nobody/step/3');
    expect(await page.locator('h1').textContent()).toBe('Not in this report');
  });

  it('has a page for each policy', async () => {
    const { page } = await open('#/policy/opencode-1.2.16');
    expect(await page.locator('h1').textContent()).toBe('opencode-1.2.16');
    expect(await page.locator('[role=status]').textContent()).toBe('3 runs');
    expect(await page.locator('main').textContent()).toContain('prune pass by-age, turn-end');
  });

  it('calls nothing best that completed less than the others', async () => {
    const { page } = await open('', { at: uneven });
    await unfold(page);
    const costs = page
      .locator('table', { hasText: 'cannot be compared' })
      .locator('tr', { hasText: /^Cost\$/ });
    const best = costs.locator('.best');
    expect(await best.allTextContents()).toEqual(['$9.00']);
    const heat = page.locator('table', { hasText: 'unshaded' }).locator('td');
    const shades = await heat.evaluateAll((cells) =>
      cells.map((cell) => `${cell.textContent} ${cell.getAttribute('style')}`.slice(0, 16)),
    );
    expect(shades).toEqual(['$12.00 backgroun', '$9.00 background', '$4.00 ']);
    await page.goto(`${uneven}${sessionHash(SESSIONS[0] ?? '')}`);
    await page.getByText('for this session alone').waitFor();
    expect(await best.allTextContents()).toEqual(['$3.00']);
  });

  it('says of how many families sessions are, and nothing of them where all are independent', async () => {
    const { page, said } = await open('', { at: forked });
    await unfold(page);
    const table = page.locator('table', { hasText: 'Mean per session of what' });
    expect(await table.locator('caption').textContent()).toContain(
      'a family share their beginning',
    );
    expect(await table.locator('tbody tr').first().textContent()).toContain('3 in 2 families');
    expect(said).toEqual([]);
    await page.goto(file);
    await unfold(page);
    await page.getByText('Mean per session of what').waitFor();
    expect(await page.locator('main').textContent()).not.toContain('famil');
  });

  it('shows what was compared: bars with intervals, differences in context, tables', async () => {
    const { page, said } = await open('#/?filter-scenarios=other&sort-scenarios=1:descending', {
      at: compared,
    });
    expect(await page.locator('svg[aria-label^="Retention"] .whisker').count()).toBe(3);
    expect(await page.locator('.diff pre').textContent()).toContain(
      '− baseline  old\n+ now       new\n',
    );
    const table = page.locator('table', { hasText: 'Chart' });
    expect(await table.locator('tbody tr').allTextContents()).toEqual(['other1,234']);
    await page.getByLabel('Filter').first().fill('');
    await table.locator('summary').first().click();
    expect(await table.locator('pre').first().textContent()).toContain('<img src=x onerror=');
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(said).toEqual([]);
  });

  it('draws the cells that settings were looked for among, on axes that tell them apart', async () => {
    const { page, said } = await open('', { at: tuned });
    const points = page.getByRole('img', { name: 'Points of' });
    expect(await points.getAttribute('aria-label')).toMatch(
      /^Points of Cost, mean against Tokens saved, mean\. On the front: reserved=50, reserved=40 \(knee\), reserved=30\.$/,
    );
    const labels = await points.locator('.label').allTextContents();
    expect(labels).toContain('reserved=20 (today)');
    const ticks = await points.locator('text:not(.label)').allTextContents();
    expect(ticks.filter((text) => text.startsWith('$'))).toEqual(['$2.98', '$3', '$3.02']);
    expect(await page.locator('figcaption').textContent()).toContain('Faint: breaks a constraint.');
    expect(said).toEqual([]);
  });

  it('shows what to write as it stands, whatever it holds', async () => {
    const { page, said } = await open('', { at: tuned });
    const written = await page.locator('pre').allTextContents();
    expect(written.some((text) => text.includes('</script><script>window.hacked=1'))).toBe(true);
    const notes = await page.locator('.note').allTextContents();
    expect(notes.some((text) => text.includes('changes nothing that matters'))).toBe(true);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(said).toEqual([]);
  });

  it('saves the heat map as a chart and as a table', async () => {
    const { page } = await open('', { at: compared });
    expect(await savedBy(page, 'Save the heat map as CSV')).toBe(
      'protect,a,b\r\n10000,7.25,8.25\r\n20000,8.25,\r\n',
    );
    const heatMap = await savedBy(page, 'Save the heat map as SVG');
    const bars = await savedBy(page, 'Save as SVG: Retention');
    expect(heatMap).toMatch(/^<svg [^>]*xmlns=.*>\$7\.25</s);
    expect(bars).toContain('50.0 %');
    for (const picture of [heatMap, bars]) {
      // The page's variables mean nothing in a file of its own.
      expect(picture).not.toContain('var(');
      const read = `new DOMParser().parseFromString(${JSON.stringify(picture)}, 'image/svg+xml')`;
      expect(await page.evaluate(`${read}.documentElement.nodeName`)).toBe('svg');
      expect(picture).toContain(String.raw`\ufffe\uffff\u202e`);
    }
  });
});
