import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { createReportServer, SERVED_HOST } from '../../src/cli/report-server.ts';
import { main } from '../../src/cli/main.ts';
import { html } from '../../src/simulator/report/html/html.ts';
import { toPageOfRuns } from '../../src/simulator/report/html/page-of-runs.ts';
import { renderPage } from '../../src/simulator/report/html/render-page.ts';
import type { RunRecord } from '../../src/simulator/metrics/record.ts';
import {
  renderEventsHeader,
  renderSavedRun,
} from '../../src/simulator/report/saved/events-file.ts';
import { captureIo } from '../support/captured-io.ts';
import { browserNote, hasChromium, useChromium } from '../support/chromium.ts';
import { sampleEvents } from '../support/sample-events.ts';
import { sampleView } from '../support/sample-view.ts';
import {
  sampleMetrics,
  sampleProvenance,
  sampleReport,
  sampleRun,
  wholeSource,
} from '../support/sample-report.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

const HOSTILE =
  '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=2">\u202e\u001b[31m<!--\u2028"\'&#x41;';
/** What a file name can hold. */
const MARKUP = '<img src=x onerror="window.hacked=3">&lt;';
const SESSIONS = ['sessions/one.jsonl', 'sessions/two.jsonl', HOSTILE];
const POLICIES = ['none', 'opencode-1.2.16'];

const folder = createFolder();
const browser = useChromium();
const pages: Page[] = [];

const file = pathToFileURL(writeFile(folder, 'report.html', renderReport())).href;
const compared = pathToFileURL(writeFile(folder, 'compared.html', renderCompared())).href;
const uneven = pathToFileURL(writeFile(folder, 'uneven.html', renderUneven())).href;

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
  return html.render(sampleReport({ runs }), { colors: false, eventsOf, viewOf });
}

/** Turns with a call of a tool whose name, arguments and output are markup. */
function hostileChat() {
  return Array.from({ length: 8 }, (_, turn) => [
    { role: 'user', content: `${MARKUP} asked ${turn} ${HOSTILE}` },
    {
      role: 'assistant',
      content: HOSTILE,
      tool_calls: [
        {
          id: `call_${turn}`,
          type: 'function',
          function: { name: HOSTILE, arguments: JSON.stringify({ path: MARKUP }) },
        },
      ],
    },
    {
      role: 'tool',
      tool_call_id: `call_${turn}`,
      content: `${MARKUP} ${'<b onclick=alert(1)>word</b> '.repeat(600)}`,
    },
    { role: 'assistant', content: `<iframe src="javascript:alert(1)"></iframe> ${turn}` },
  ]).flat();
}

function savedRuns(runs: readonly RunRecord[]): string {
  const saved = runs.map((record) => renderSavedRun({ record, source: wholeSource, events: [] }));
  return [renderEventsHeader(sampleProvenance()), ...saved].join('');
}

/** A page of everything that stands in the place of runs, or comes with a sweep. */
function renderCompared(): string {
  const runs = POLICIES.map((policy, at) =>
    sampleRun({
      policy,
      metrics: { ...sampleMetrics, costUsd: 7.25 + at, hitRate: 0.9 - at / 10, misses: 16 - at },
    }),
  );
  const page = toPageOfRuns(sampleReport({ runs }), {});
  const bar = { name: HOSTILE, value: 0.5, low: 0.25, high: 0.75, sessions: 12 };
  return renderPage({
    ...page,
    noTimeline: HOSTILE,
    grid: {
      rowKey: 'protect',
      columnKey: HOSTILE,
      rows: ['10000', '20000'],
      columns: ['a', 'b'],
      cells: [
        [0, 1],
        [1, null],
      ],
    },
    bars: [
      { title: 'Retention', unit: 'ratio', better: 'higher', bars: [bar, { ...bar, value: null }] },
    ],
    diffs: [
      {
        title: HOSTILE,
        facts: 'rule',
        lines: [
          [' ', HOSTILE],
          ['-', 'old'],
          ['+', 'new'],
        ],
      },
    ],
    tables: [
      {
        id: 'scenarios',
        title: 'Scenarios',
        caption: 'runs',
        columns: [{ title: 'Scenario' }, { title: 'Steps', isNumber: true }, { title: 'Chart' }],
        rows: [
          [HOSTILE, 9, { text: 'chart', drawing: HOSTILE }],
          [{ text: 'other', isBad: true }, 1_234, ''],
        ],
      },
    ],
  });
}

/** A policy that completed less than the others, and so cost less. */
function renderUneven(): string {
  const runs = SESSIONS.flatMap((session, index) =>
    [...POLICIES, 'document-002'].map((policy, at) =>
      sampleRun({
        session,
        policy,
        state: at === 2 && index === 0 ? 'refused' : 'completed',
        metrics: { ...sampleMetrics, costUsd: 4 - at, regretUsd: 0 },
      }),
    ),
  );
  return renderPage({
    ...toPageOfRuns(sampleReport({ runs }), {}),
    grid: {
      rowKey: 'protect',
      columnKey: 'window',
      rows: ['10000'],
      columns: ['a', 'b', 'c'],
      cells: [[0, 1, 2]],
    },
  });
}

function viewOf({ session, policy }: RunRecord) {
  const hasTexts = session === HOSTILE;
  const pivotEvery = policy === 'none' ? 100 : 15;
  return sampleView({ pivotEvery, mark: hasTexts ? HOSTILE : '', hasTexts });
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
async function open(
  hash = '',
  {
    at = file,
    ...options
  }: Parameters<ReturnType<typeof browser>['newPage']>[0] & { at?: string } = {},
) {
  const page = await browser().newPage({ viewport: { width: 1200, height: 900 }, ...options });
  pages.push(page);
  page.setDefaultTimeout(5_000);
  const said: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(`${at}${hash}`);
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
    await page.locator('.plot').first().waitFor();
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
      'Distance to the bounds',
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
    // The page follows its address a moment after the click.
    await page.getByRole('heading', { level: 1, name: 'sessions/two.jsonl' }).waitFor();
    const { page: step } = await open(`${sessionHash('sessions/two.jsonl')}/step/15`);
    expect(await step.locator('h1').textContent()).toBe('Step 15 of 40');
    const text = await step.locator('main').textContent();
    expect(text).toContain('Pivot: 39,000 tokens became 12,000');
    expect(text).toContain(
      'Context39,000 of 32,000 usableCached37,000Written to the cache2,000New0',
    );
    expect(text).toContain('[cut, which keeps nothing]');
  });

  it('says so where an address names nothing', async () => {
    const { page } = await open('#/session/nobody/step/3');
    expect(await page.locator('h1').textContent()).toBe('Not in this report');
  });

  it('tells at a step which rule fired with which numbers, to the pointer and to the keyboard', async () => {
    const { page } = await open(sessionHash('sessions/one.jsonl'));
    await page.locator('.mark-pivot').first().waitFor();
    const plot = page.getByRole('slider', { name: 'Step of the session' });
    await plot.focus();
    for (let step = 1; step < 15; step++) await page.keyboard.press('ArrowRight');
    const words = await plot.getAttribute('aria-valuetext');
    expect(words).toContain('Overflow after the step: counted 39,000 tokens, usable 32,000 tokens');
    const box = await plot.boundingBox();
    const width = (box?.width ?? 0) - 46 - 12;
    await page.mouse.move((box?.x ?? 0) + 46 + (14.5 / 40) * width, (box?.y ?? 0) + 60);
    expect(await page.locator('.tip').first().textContent()).toBe(words);
    await page.keyboard.press('Enter');
    // The page follows its address, which is told a moment later.
    await page.locator('h1', { hasText: /^Step 15 of 40$/ }).waitFor();
  });

  it('says how long an idle gap was, in the chart and in words', async () => {
    const { page } = await open(sessionHash('sessions/one.jsonl'));
    await page.locator('.mark-cold').first().waitFor();
    expect(await page.locator('.plot svg').first().textContent()).toContain('Idle gap3 h 12 min');
    expect(await page.locator('table', { hasText: 'moments' }).textContent()).toContain(
      'Idle gap of 3 h 12 min: nothing of the session was left in the cache.',
    );
  });

  it('shows the mix by tool over time, to the pointer and to the keyboard', async () => {
    const { page } = await open(`${sessionHash('sessions/one.jsonl')}?policy=opencode-1.2.16`);
    const mix = page.getByRole('slider', { name: 'Composition by step' });
    await mix.focus();
    await page.keyboard.press('End');
    const words = await mix.getAttribute('aria-valuetext');
    expect(words).toMatch(/^Step 40: 32,000 tokens\nsystem prompt, tools, frames/);
    expect(words).toContain('bash 10,000');
    const box = await mix.boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 20, (box?.y ?? 0) + 60);
    expect(await page.locator('.tip').nth(1).textContent()).toBe(words);
    await page.keyboard.press('Enter');
    // The page follows its address, which is told a moment later.
    await page.locator('h1', { hasText: /^Step 40 of 40$/ }).waitFor();
  });

  it('shows a step part by part, and what changed since the request before', async () => {
    const { page } = await open(
      `${sessionHash('sessions/one.jsonl')}/step/16?policy=opencode-1.2.16`,
    );
    const changes = page.locator('table').first();
    expect(await changes.locator('caption').textContent()).toBe(
      '5 parts came (+2,028 tokens); 30 parts went (-16,420 tokens)',
    );
    const parts = page.locator('table', { hasText: 'Every part' });
    expect(await parts.locator('tbody tr').count()).toBe(5);
    await page.getByLabel('State').selectOption('summarised');
    expect(await parts.locator('tbody tr').count()).toBe(30);
    expect(await page.locator('main').textContent()).toContain(
      '900 tokens since step 16, in the place of 30 parts',
    );
    expect(await page.locator('svg.strip rect.part-summary').count()).toBe(2);
    const { page: pruned } = await open(
      `${sessionHash('sessions/one.jsonl')}/step/9?policy=opencode-1.2.16`,
    );
    expect(await pruned.locator('table').first().locator('tbody tr').last().textContent()).toBe(
      '~ changed#1answerspruned10020',
    );
  });

  it('joins the points that nothing beats, also where more is better', async () => {
    const { page } = await open('#/?x=costUsd&y=hitRate', { at: compared });
    const front = async () =>
      /On the front: (.*)\.$/.exec(
        (await page.getByRole('img', { name: 'Points of' }).getAttribute('aria-label')) ?? '',
      )?.[1];
    expect(await front()).toBe('none');
    expect(await page.locator('figcaption').textContent()).toContain('to the left and further up');
    await page.getByLabel('Up').selectOption('misses');
    expect(await front()).toBe('none, opencode-1.2.16');
  });

  it('calls nothing best that completed less than the others', async () => {
    const { page } = await open('', { at: uneven });
    const points = page.getByRole('img', { name: 'Points of' });
    expect(await points.getAttribute('aria-label')).toMatch(/On the front: opencode-1\.2\.16\.$/);
    const costs = page
      .locator('table')
      .first()
      .locator('tr', { hasText: /^Cost\$/ });
    const best = costs.locator('.best');
    expect(await best.allTextContents()).toEqual(['$9.00']);
    expect(await page.locator('caption').first().textContent()).toContain('cannot be compared');
    expect(await page.locator('figcaption').textContent()).toContain('cannot be compared');
    const heat = page.locator('table', { hasText: 'without a shade' }).locator('td');
    const shades = await heat.evaluateAll((cells) =>
      cells.map((cell) => `${cell.textContent} ${cell.getAttribute('style')}`.slice(0, 16)),
    );
    expect(shades).toEqual(['$12.00 backgroun', '$9.00 ', '$4.00 ']);
    await page.goto(`${uneven}${sessionHash(SESSIONS[0] ?? '')}`);
    await page.getByText('of this session alone').waitFor();
    expect(await best.allTextContents()).toEqual(['$3.00']);
  });

  it('has a page for each policy', async () => {
    const { page } = await open('#/policy/opencode-1.2.16');
    expect(await page.locator('h1').textContent()).toBe('opencode-1.2.16');
    expect(await page.locator('[role=status]').textContent()).toBe('3 runs');
    expect(await page.locator('main').textContent()).toContain('prune pass by-age, turn-end');
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

  it('saves the heat map as a chart and as a table', async () => {
    const { page } = await open('', { at: compared });
    const saved = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ]);
      return readFileSync(await download.path(), 'utf8');
    };
    expect(await saved('Save the heat map as CSV')).toBe(
      'protect,a,b\r\n10000,7.25,8.25\r\n20000,8.25,\r\n',
    );
    expect(await saved('Save the heat map as SVG')).toMatch(/^<svg [^>]*xmlns=.*>\$7\.25</s);
    expect(await saved('Save as SVG: Retention')).toContain('50.0 %');
  });

  it('zooms by keys, buttons and dragging', async () => {
    const { page } = await open(sessionHash('sessions/one.jsonl'));
    const marks = () => page.locator('.mark-pivot').count();
    await page.locator('.mark-pivot').first().waitFor();
    const all = await marks();
    expect(all).toBe(2);
    await page.getByRole('button', { name: 'Closer' }).click();
    await page.getByRole('button', { name: 'Closer' }).click();
    expect(await marks()).toBeLessThan(all);
    await page.getByRole('slider', { name: 'Step of the session' }).focus();
    await page.keyboard.press('0');
    expect(await marks()).toBe(all);
    const box = await page.getByRole('slider', { name: 'Step of the session' }).boundingBox();
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
    await page.locator('.mark-pivot').first().waitFor();
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
    await page.locator('.plot').first().waitFor();
    expect(await page.locator('h1').textContent()).toContain('<img src=x onerror=');
    await page.goto(`${file}${sessionHash(HOSTILE)}/step/15`);
    await page.locator('details').first().waitFor();
    expect(await page.locator('main').textContent()).toContain('\\u202e\\u001b[31m');
    await page.goto(`${file}${sessionHash(HOSTILE)}/step/16?policy=opencode-1.2.16`);
    expect(await page.locator('pre').textContent()).toContain('All that was done</script><script>');
    await page.locator('td details summary').first().click();
    expect(await page.locator('td pre').first().textContent()).toContain('<img src=x onerror=');
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('img').count()).toBe(0);
    expect(said).toEqual([]);
  });

  it('shows events of the first version, which do not tell what requests showed', async () => {
    const old = join(import.meta.dirname, '../fixtures/events/version-1.jsonl');
    const out = join(folder, 'old.html');
    expect(await main(['report', old, '--out', out], captureIo())).toBe(0);
    const at = pathToFileURL(out).href;
    const { page, said } = await open(sessionHash('sessions/one.jsonl'), { at });
    expect(await page.locator('.plot').count()).toBe(1);
    expect(await page.locator('main').textContent()).toContain(
      'What its requests showed was not saved',
    );
    await page.goto(`${at}${sessionHash('sessions/one.jsonl')}/step/15`);
    await page.getByText('What the model sees').waitFor();
    expect(said).toEqual([]);
  });

  it('shows a real session full of markup as text, whatever was done to it', async () => {
    const session = writeFile(folder, `${MARKUP}.json`, JSON.stringify(hostileChat()));
    const out = join(folder, 'hostile.html');
    const settings = ['--set', 'contextTokens=20000', '--policy', 'opencode-1.2.16'];
    const argv = ['run', session, ...settings, '--with-text', session, '--out', out];
    const io = captureIo();
    expect({ code: await main(argv, io), ...io.written }).toMatchObject({ code: 0 });
    const at = pathToFileURL(out).href;
    const { page, said, requested } = await open('', { at });
    await page.getByRole('link', { name: MARKUP }).first().click();
    const link = page.locator('table', { hasText: 'moments' }).locator('tr', { hasText: 'pivot' });
    await link.first().getByRole('link').click();
    await page.getByRole('link', { name: 'step after ›' }).click();
    await page.locator('pre').first().waitFor();
    for (const details of await page.locator('td details summary').all()) await details.click();
    const text = await page.locator('main').textContent();
    expect(text).toContain(`${MARKUP} asked 0`);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('img, iframe, main script').count()).toBe(0);
    expect(said).toEqual([]);
    expect(requested).toEqual([at]);
  });

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

  it('shows what is served anew when its file changes, at the same place', async () => {
    const events = writeFile(folder, 'served.jsonl', savedRuns([sampleRun()]));
    const server = createReportServer([events]);
    await new Promise<void>((resolve) => server.listen(0, SERVED_HOST, resolve));
    const { port } = server.address() as AddressInfo;
    const at = `http://${SERVED_HOST}:${port}/`;
    const { page, said, requested } = await open('#/policy/opencode-1.2.16', { at });
    expect(await page.locator('[role=status]').textContent()).toBe('1 run');
    writeFileSync(events, savedRuns([sampleRun(), sampleRun({ session: 'sessions/two.jsonl' })]));
    await page.getByText('2 runs', { exact: true }).waitFor();
    expect(await page.locator('h1').textContent()).toBe('opencode-1.2.16');
    expect([...new Set(requested.map((url) => new URL(url).pathname))]).toEqual(['/', '/version']);
    expect(said).toEqual([]);
    await page.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
