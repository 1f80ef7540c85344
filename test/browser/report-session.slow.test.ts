import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { browserNote, hasChromium } from '../support/chromium.ts';
import { sessionHash, useReportPages } from './report-pages.ts';

const { open } = useReportPages();

describe.skipIf(!hasChromium)(`a session of a report in Chromium${browserNote}`, () => {
  it('leads from a session to its steps, and a link to a step shows it', async () => {
    const { page } = await open();
    await page.getByRole('link', { name: 'sessions/two.jsonl' }).first().click();
    // The page follows its address a moment after the click.
    await page.getByRole('heading', { level: 1, name: 'sessions/two.jsonl' }).waitFor();
    const { page: step } = await open(`${sessionHash('sessions/two.jsonl')}/step/15`);
    expect(await step.locator('h1').textContent()).toBe('Step 15 of 40');
    const text = await step.locator('main').textContent();
    expect(text).toContain('Compaction: 39,000 tokens became 12,000');
    expect(text).toContain(
      'Context39,000 of 32,000 usableCached37,000Written to the cache2,000New0',
    );
    expect(text).toContain('[cut, which keeps nothing]');
  });

  it('shows the session where the address names a step that is no number', async () => {
    const { page, said } = await open(`${sessionHash('sessions/one.jsonl')}/step/x`);
    expect(await page.locator('h1').textContent()).toBe('sessions/one.jsonl');
    expect(await page.locator('#where').textContent()).toBe('sessions/one.jsonl');
    await page.goto(new URL(`${sessionHash('sessions/one.jsonl')}/step/400`, page.url()).href);
    await page.getByText('This page has no such step.').waitFor();
    expect(said).toEqual([]);
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
    const width = (box?.width ?? 0) - 62 - 12;
    await page.mouse.move((box?.x ?? 0) + 62 + (14.5 / 40) * width, (box?.y ?? 0) + 60);
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
      '900 tokens since step 16, in place of 30 parts',
    );
    expect(await page.locator('svg.strip rect.part-summary').count()).toBe(2);
    const { page: pruned } = await open(
      `${sessionHash('sessions/one.jsonl')}/step/9?policy=opencode-1.2.16`,
    );
    expect(await pruned.locator('table').first().locator('tbody tr').last().textContent()).toBe(
      '~ changed#1answerspruned10020',
    );
  });

  it('zooms by keys, buttons and dragging', async () => {
    const { page } = await open(sessionHash('sessions/one.jsonl'));
    const marks = () => page.locator('.mark-pivot').count();
    await page.locator('.mark-pivot').first().waitFor();
    const all = await marks();
    expect(all).toBe(2);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
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
    expect(await saved('Save as CSV: A loss')).toMatch(/^Step,Policy,What,In words\r\n/);
    expect(await saved('Save the timeline as SVG')).toMatch(/^<svg [^>]*xmlns=/);
  });
});
