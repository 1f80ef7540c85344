import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { createReportServer } from '../../src/cli/commands/serve.ts';
import { main } from '../../src/cli/main.ts';
import { SERVED_HOST } from '../../src/cli/process/serve.ts';
import {
  renderEventsHeader,
  renderSavedRun,
} from '../../src/simulator/report/saved/events-file.ts';
import { captureIo } from '../support/captured-io.ts';
import { browserNote, hasChromium } from '../support/chromium.ts';
import { sampleProvenance, sampleRun, wholeSource } from '../support/sample-report.ts';
import { writeFile } from '../support/session-files.ts';
import { HOSTILE, MARKUP, SESSIONS, useReportPages } from './report-pages.ts';

const { folder, file, crowded, tuned, told, open } = useReportPages();
/** The place of the hostile session: the dearest stand first, sections in the order of runs. */
const HOSTILE_SESSION = `#session-${SESSIONS.length}`;

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

describe.skipIf(!hasChromium)(`a report in Chromium${browserNote}`, () => {
  it.each<[string, string, 'light' | 'dark', string]>([
    ['the overview by day', file, 'light', ''],
    ['the overview by night', file, 'dark', ''],
    ['a session by day', file, 'light', '#session-1'],
    ['a step with texts by night', file, 'dark', `${HOSTILE_SESSION}/step-16`],
    ['thirteen arms', crowded, 'light', ''],
    ['a search', tuned, 'dark', ''],
    ['a document', told, 'light', ''],
  ])('is accessible: %s', async (_, at, colorScheme, hash) => {
    const { page, said } = await open(hash, { colorScheme, at });
    await page.evaluate(axe.source);
    const found = await page.evaluate<{ id: string; nodes: string[] }[]>(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) })))',
    );
    expect(found).toEqual([]);
    expect(said).toEqual([]);
  });

  it.each([390, 1280, 1920])('cuts nothing at %i pixels', async (width) => {
    const { page } = await open('', { viewport: { width, height: 900 } });
    const hashes = ['', '#session-1', `${HOSTILE_SESSION}/step-16`];
    for (const address of [...hashes.map((hash) => `${file}${hash}`), crowded, tuned, told]) {
      await page.goto(address);
      await page.locator('section.shown h1').waitFor();
      const wide = await page.evaluate<string[]>(
        `[...document.querySelectorAll('section.shown *')].filter((one) => !one.closest('.scroll, svg') && one.getBoundingClientRect().right > ${width + 1}).map((one) => one.outerHTML.slice(0, 80))`,
      );
      expect(wide).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  });

  it('begins with the verdict, then cost against losses, with what is impossible hollow', async () => {
    const { page, said, requested } = await open();
    const order = await page
      .locator('#overview > *')
      .evaluateAll((all) => all.map((one) => one.className || one.tagName));
    expect(order.slice(0, 3)).toEqual(['H1', 'verdict', 'scatter']);
    const drawing = page.locator('figure.scatter svg');
    expect(await drawing.locator('path[fill="var(--card)"][stroke="var(--s0)"]').count()).toBe(1);
    expect(await page.locator('figure.scatter').textContent()).toContain('Hollow: not completed');
    expect(said).toEqual([]);
    expect(requested).toEqual([file]);
  });

  it('tells of the point that is pointed at, and not over it', async () => {
    const { page } = await open('', { at: tuned });
    const point = page.locator('figure.scatter path[fill="var(--s0)"]').first();
    await point.hover();
    const tip = page.locator('.tip-text');
    await tip.waitFor();
    expect(await tip.textContent()).toMatch(/reserved=\d+\n/);
    const [mark, box] = [await point.boundingBox(), await tip.boundingBox()];
    const isBeside =
      mark === null ||
      box === null ||
      box.x > mark.x + mark.width ||
      box.x + box.width < mark.x ||
      box.y > mark.y + mark.height ||
      box.y + box.height < mark.y;
    expect(isBeside).toBe(true);
  });

  it('draws a search over any two of its objectives', async () => {
    const { page, said } = await open('', { at: tuned });
    const words = () => page.locator('figure.scatter svg').textContent();
    expect(await words()).not.toContain('Third');
    await page.getByLabel('Up').selectOption({ index: 2 });
    expect(await words()).toContain('Third');
    expect(said).toEqual([]);
  });

  it('gives thirteen arms a look each', async () => {
    const { page } = await open('', { at: crowded });
    const looks = await page
      .locator('figure.scatter svg path[transform]')
      .evaluateAll((all) =>
        all.map((one) => `${one.getAttribute('fill')} ${one.getAttribute('d')}`),
      );
    expect(new Set(looks.filter((look) => /--s\d/.test(look))).size).toBeGreaterThanOrEqual(12);
  });

  it('sorts, filters and opens a session, and a link to a step shows it', async () => {
    const { page } = await open('', { at: told });
    await page.getByRole('button', { name: 'Cost' }).click();
    const costs = () => page.locator('tbody tr td:nth-child(2)').allTextContents();
    expect(await costs()).toEqual(['$10.00', '≥ $9.00', '-$1.00']);
    await page.getByRole('button', { name: 'Cost' }).click();
    expect(await costs()).toEqual(['-$1.00', '≥ $9.00', '$10.00']);
    const { page: report } = await open();
    await report.getByRole('link', { name: 'two.jsonl' }).first().click();
    await report.locator('#session-2.shown').waitFor();
    const { page: step } = await open('#session-2/step-15');
    const text = await step.locator('section.shown .facts').textContent();
    expect(text).toContain('context 39,000 → 12,000');
    expect(text).toContain('Context 39,000 of 32,000 usable');
    const moments = step.locator('section.shown .moments');
    const rows = () => moments.locator('tbody tr:visible').count();
    const all = await rows();
    await step.locator('section.shown input[type=search]').last().fill('compaction');
    expect(await rows()).toBeLessThan(all);
  });

  it('moves by steps with the keyboard, zooms, and shows parts and their texts', async () => {
    const { page } = await open(HOSTILE_SESSION);
    const range = page.getByRole('slider', { name: 'Step' });
    await range.focus();
    for (let step = 1; step < 16; step++) await page.keyboard.press('ArrowRight');
    expect(await range.getAttribute('aria-valuetext')).toMatch(/^Step 16: none: .* tokens/);
    const facts = page.locator('section.shown .facts');
    expect(await facts.textContent()).toContain('parts that came 5, that went 30');
    await facts.locator('summary').first().click();
    expect(await facts.locator('pre').first().textContent()).not.toBe('');
    const labels = () => page.locator('section.shown figure svg').first().textContent();
    const before = await labels();
    await page.keyboard.press('+');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await labels()).not.toBe(before);
  });

  it('copies a snippet as it stands, and saves a chart as a picture', async () => {
    const { page } = await open('', { at: told });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as SVG' }).click(),
    ]);
    const svg = readFileSync(await download.path(), 'utf8');
    expect(svg).toMatch(/^<svg [^>]*xmlns=/);
    expect(svg).not.toContain('var(--');
  });

  it('shows a real session full of markup as text, whatever was done to it', async () => {
    const session = writeFile(folder, `${MARKUP}.json`, JSON.stringify(hostileChat()));
    const out = join(folder, 'hostile.html');
    const settings = ['--set', 'contextTokens=20000', '--policy', 'opencode-1.2.16'];
    const argv = ['run', session, ...settings, '--with-text', session, '--out', out];
    const io = captureIo();
    expect({ code: await main(argv, io), ...io.written }).toMatchObject({ code: 0 });
    const at = pathToFileURL(out).href;
    const { page, said, requested } = await open('#session-1', { at });
    const range = page.getByRole('slider', { name: 'Step' });
    await range.focus();
    for (let step = 1; step < 16; step++) {
      await page.keyboard.press('ArrowRight');
      for (const details of await page.locator('.facts details summary').all())
        await details.click();
    }
    await page.locator('section.shown figure svg').first().hover();
    expect(await page.locator('main').textContent()).toContain('<img src=x onerror=');
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('img, iframe, main script').count()).toBe(0);
    expect(said).toEqual([]);
    expect(requested).toEqual([at]);
  });

  it('shows hostile names as text in charts and tips', async () => {
    const { page, said } = await open('', { at: told });
    await page.locator('figure.bars path[fill="var(--s0)"]').first().hover();
    expect(await page.locator('.tip-text').textContent()).toContain('<img src=x onerror=');
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('img').count()).toBe(0);
    expect(said).toEqual([]);
  });

  it('shows what is served anew when its file changes, at the same place', async () => {
    const runs = [sampleRun(), sampleRun({ session: 'sessions/two.jsonl' })];
    const saved = runs.map((record) => renderSavedRun({ record, source: wholeSource, events: [] }));
    const header = renderEventsHeader(sampleProvenance());
    const events = writeFile(folder, 'served.jsonl', `${header}${saved[0]}`);
    const server = createReportServer([events]);
    await new Promise<void>((resolve) => server.listen(0, SERVED_HOST, resolve));
    const { port } = server.address() as AddressInfo;
    const { page, said, requested } = await open('#session-1', {
      at: `http://${SERVED_HOST}:${port}/`,
    });
    expect(await page.locator('section.session').count()).toBe(1);
    writeFileSync(events, [header, ...saved].join(''));
    await page.locator('#session-2').waitFor({ state: 'attached' });
    expect(await page.locator('#session-1.shown').count()).toBe(1);
    expect([...new Set(requested.map((url) => new URL(url).pathname))]).toEqual(['/', '/version']);
    expect(said).toEqual([]);
    await page.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
