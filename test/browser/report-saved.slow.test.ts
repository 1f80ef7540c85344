import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createReportServer } from '../../src/cli/commands/serve.ts';
import { SERVED_HOST } from '../../src/cli/process/serve.ts';
import { main } from '../../src/cli/main.ts';
import type { RunRecord } from '../../src/simulator/metrics/record.ts';
import {
  renderEventsHeader,
  renderSavedRun,
} from '../../src/simulator/report/saved/events-file.ts';
import { captureIo } from '../support/captured-io.ts';
import { browserNote, hasChromium } from '../support/chromium.ts';
import { sampleEvents } from '../support/sample-events.ts';
import { sampleProvenance, sampleRun, wholeSource } from '../support/sample-report.ts';
import { writeFile } from '../support/session-files.ts';
import { sessionHash, useReportPages } from './report-pages.ts';

const { folder, open } = useReportPages();

function savedRuns(runs: readonly RunRecord[]): string {
  const saved = runs.map((record) => renderSavedRun({ record, source: wholeSource, events: [] }));
  return [renderEventsHeader(sampleProvenance()), ...saved].join('');
}

describe.skipIf(!hasChromium)(`a report of saved events in Chromium${browserNote}`, () => {
  it('says of events that tell nothing of what requests showed that they do not', async () => {
    const events = sampleEvents({ steps: 18 });
    const saved = renderSavedRun({ record: sampleRun(), source: wholeSource, events });
    const untold = writeFile(
      folder,
      'untold.jsonl',
      renderEventsHeader(sampleProvenance()) + saved,
    );
    const out = join(folder, 'untold.html');
    expect(await main(['report', untold, '--out', out], captureIo())).toBe(0);
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
