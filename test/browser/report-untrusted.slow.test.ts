import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { captureIo } from '../support/captured-io.ts';
import { browserNote, hasChromium } from '../support/chromium.ts';
import { writeFile } from '../support/session-files.ts';
import { HOSTILE, MARKUP, sessionHash, useReportPages } from './report-pages.ts';

const { folder, file, open } = useReportPages();

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

describe.skipIf(!hasChromium)(`a report of hostile sessions in Chromium${browserNote}`, () => {
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
    const link = page
      .locator('table', { hasText: 'moments' })
      .locator('tr', { hasText: 'compaction' });
    await link.first().getByRole('link').click();
    await page.getByRole('link', { name: 'next step ›' }).click();
    await page.locator('pre').first().waitFor();
    for (const details of await page.locator('td details summary').all()) await details.click();
    const text = await page.locator('main').textContent();
    expect(text).toContain(`${MARKUP} asked 0`);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('img, iframe, main script').count()).toBe(0);
    expect(said).toEqual([]);
    expect(requested).toEqual([at]);
  });
});
