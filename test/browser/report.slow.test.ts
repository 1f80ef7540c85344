import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { html } from '../../src/simulator/report/html/html.ts';
import type { RunRecord } from '../../src/simulator/metrics/record.ts';
import { browserNote, hasChromium, useChromium } from '../support/chromium.ts';
import { sampleEvents } from '../support/sample-events.ts';
import { sampleMetrics, sampleReport, sampleRun } from '../support/sample-report.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

const HOSTILE =
  '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=2">\u202e\u001b[31m<!--\u2028"\'&#x41;';
const SESSIONS = ['sessions/one.jsonl', 'sessions/two.jsonl', HOSTILE];
const POLICIES = ['none', 'opencode-1.2.16'];

const folder = createFolder();
const browser = useChromium();
const pages: Page[] = [];

const file = pathToFileURL(writeFile(folder, 'report.html', renderReport())).href;
const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

function renderReport(): string {
  const runs = SESSIONS.flatMap((session, index) =>
    POLICIES.map((policy, at) =>
      sampleRun({
        session,
        policy,
        metrics: { ...sampleMetrics, costUsd: 1 + index + at / 10, steps: 40 + index },
      }),
    ),
  );
  return html.render(sampleReport({ runs }), { colors: false, eventsOf });
}

/** The control never compacts. */
function eventsOf({ session, policy }: RunRecord) {
  return sampleEvents({
    session,
    policy,
    pivotEvery: policy === 'none' ? 100 : 15,
    mark: session === HOSTILE ? HOSTILE : '',
  });
}

/** A page of the report, with everything that it said and asked for. */
async function open(hash = '', options: Parameters<ReturnType<typeof browser>['newPage']>[0] = {}) {
  const page = await browser().newPage({ viewport: { width: 1200, height: 900 }, ...options });
  pages.push(page);
  page.setDefaultTimeout(5_000);
  const said: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(`${file}${hash}`);
  await page.locator('h1').waitFor();
  return { page, said, requested };
}

const sessionHash = (name: string) => `#/session/${encodeURIComponent(name)}`;

afterEach(async () => {
  await Promise.all(pages.splice(0).map((page) => page.close()));
});

describe.skipIf(!hasChromium)(`the page of a report in Chromium${browserNote}`, () => {
  it('says nothing to the console and asks for nothing but itself', async () => {
    const { page, said, requested } = await open();
    await page.goto(`${file}${sessionHash(SESSIONS[0] ?? '')}`);
    await page.locator('.plot').waitFor();
    expect(said).toEqual([]);
    expect(requested.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual(
      [],
    );
  });

  it('shows policies, differences, points, sessions and where the numbers come from', async () => {
    const { page } = await open();
    expect(await page.locator('h2').allTextContents()).toEqual([
      'Policy × metrics',
      'Against none',
      'Trade-off',
      'Sessions',
      'Sources of the numbers',
    ]);
    const tables = page.locator('table');
    expect(await tables.count()).toBe(await page.locator('table > caption').count());
  });

  it('filters, keeps the filter in the address, and comes back to it', async () => {
    const { page } = await open();
    await page.locator('#filter').fill('two');
    expect(await page.locator('[role=status]').textContent()).toBe('2 of 6 runs');
    const { page: again } = await open(new URL(page.url()).hash);
    expect(await again.locator('[role=status]').textContent()).toBe('2 of 6 runs');
    expect(await again.locator('#filter').inputValue()).toBe('two');
  });

  it('sorts by a column and says so', async () => {
    const { page } = await open();
    const table = page.locator('table', { hasText: 'Every run' });
    await table.getByRole('button', { name: 'Cost', exact: true }).click();
    const head = table.locator('th[aria-sort]');
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    expect(await table.locator('tbody tr').first().textContent()).toContain('$3.10');
    await table.getByRole('button', { name: 'Cost', exact: true }).click();
    expect(await table.locator('tbody tr').first().textContent()).toContain('$1.00');
  });

  it('leads from a session to its steps, and a link to a step shows it', async () => {
    const { page } = await open();
    await page.getByRole('link', { name: 'sessions/two.jsonl' }).first().click();
    expect(await page.locator('h1').textContent()).toBe('sessions/two.jsonl');
    const { page: step } = await open(`${sessionHash('sessions/two.jsonl')}/step/15`);
    expect(await step.locator('h1').textContent()).toBe('Step 15 of 40');
    expect(await step.locator('main').textContent()).toContain(
      'Pivot: 39,000 tokens became 12,000',
    );
  });

  it('says so where an address names nothing', async () => {
    const { page } = await open('#/session/nobody/step/3');
    expect(await page.locator('h1').textContent()).toBe('Not in this report');
  });

  it('tells at a step which rule fired with which numbers, to the pointer and to the keyboard', async () => {
    const { page } = await open(sessionHash('sessions/one.jsonl'));
    const plot = page.getByRole('slider');
    await plot.focus();
    for (let step = 1; step < 15; step++) await page.keyboard.press('ArrowRight');
    const words = await plot.getAttribute('aria-valuetext');
    expect(words).toContain('Overflow after the step: counted 39,000 tokens, usable 32,000 tokens');
    const box = await plot.boundingBox();
    const width = (box?.width ?? 0) - 46 - 12;
    await page.mouse.move((box?.x ?? 0) + 46 + (14.5 / 40) * width, (box?.y ?? 0) + 60);
    expect(await page.locator('.tip').textContent()).toBe(words);
    await page.keyboard.press('Enter');
    expect(await page.locator('h1').textContent()).toBe('Step 15 of 40');
  });

  it('zooms by keys, buttons and dragging', async () => {
    const { page } = await open(sessionHash('sessions/one.jsonl'));
    const marks = () => page.locator('.mark-pivot').count();
    const all = await marks();
    expect(all).toBe(2);
    await page.getByRole('button', { name: 'Closer' }).click();
    await page.getByRole('button', { name: 'Closer' }).click();
    expect(await marks()).toBeLessThan(all);
    await page.getByRole('slider').focus();
    await page.keyboard.press('0');
    expect(await marks()).toBe(all);
    const box = await page.getByRole('slider').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 60);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 60);
    await page.mouse.up();
    expect(await marks()).toBe(0);
  });

  it('overlays the policies that are ticked, and the address keeps them', async () => {
    const { page } = await open(`${sessionHash('sessions/one.jsonl')}?policy=none`);
    expect(await page.getByRole('checkbox', { name: 'none' }).isChecked()).toBe(true);
    const other = page.getByRole('checkbox', { name: 'opencode-1.2.16' });
    expect(await other.isChecked()).toBe(false);
    await other.check();
    expect(new URL(page.url()).hash).toContain('policy=none%2Copencode-1.2.16');
    expect(await page.locator('.mark-pivot').count()).toBe(2);
  });

  it('saves a table as CSV and a chart as SVG', async () => {
    const { page } = await open(sessionHash('sessions/one.jsonl'));
    const saved = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ]);
      return readFileSync(await download.path(), 'utf8');
    };
    expect(await saved('Save as CSV: A miss')).toMatch(/^Step,Policy,What,In words\r\n/);
    expect(await saved('Save the time line as SVG')).toMatch(/^<svg [^>]*xmlns=/);
  });

  it('shows a hostile session as text', async () => {
    const { page, said } = await open();
    await page.goto(`${file}${sessionHash(HOSTILE)}`);
    await page.locator('.plot').waitFor();
    expect(await page.locator('h1').textContent()).toContain('<img src=x onerror=');
    await page.goto(`${file}${sessionHash(HOSTILE)}/step/15`);
    await page.locator('details').first().waitFor();
    expect(await page.locator('main').textContent()).toContain('\\u202e\\u001b[31m');
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('img').count()).toBe(0);
    expect(said).toEqual([]);
  });

  it.each<[string, string, 'light' | 'dark']>([
    ['the overview by day', '', 'light'],
    ['the overview by night', '', 'dark'],
    ['a session by day', sessionHash('sessions/one.jsonl'), 'light'],
    ['a session by night', sessionHash('sessions/one.jsonl'), 'dark'],
    ['a step', `${sessionHash('sessions/one.jsonl')}/step/15`, 'light'],
  ])('is accessible: %s', async (_, hash, colorScheme) => {
    const { page } = await open(hash, { colorScheme });
    await page.evaluate(axeSource);
    const found = await page.evaluate<{ id: string; nodes: string[] }[]>(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) })))',
    );
    expect(found).toEqual([]);
  });

  it('fits a phone', async () => {
    const { page } = await open('', { viewport: { width: 380, height: 800 } });
    for (const hash of ['', sessionHash(HOSTILE), `${sessionHash(HOSTILE)}/step/15`]) {
      await page.goto(`${file}${hash}`);
      await page.locator('h1').waitFor();
      const wide = await page.evaluate<string[]>(
        `[...document.querySelectorAll('body *')].filter((one) => !one.closest('.scroll') && one.getBoundingClientRect().right > 381).map((one) => one.outerHTML.slice(0, 80))`,
      );
      expect(wide).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(380);
    }
  });
});
