import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { main } from '../src/cli/main.ts';
import { launchChromium } from '../test/support/launch-chromium.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PICTURE = join(ROOT, 'docs/images/report.png');
const SESSIONS = 'scenarios/recorded';
const SIZE = { width: 1_080, height: 1_180 };
/** A session, and a step at which one of its policies compacts. */
const SHOWN = '#session-1/step-24';

const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
try {
  await writePage(join(folder, 'report.html'));
  await takePicture(pathToFileURL(join(folder, 'report.html')).href);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log('written: docs/images/report.png');

/** A real run of the shipped sessions in a window that is small enough for them. */
async function writePage(path: string): Promise<void> {
  process.chdir(ROOT);
  const sessions = readdirSync(SESSIONS)
    .filter((name) => /\.jsonl?$/.test(name))
    .map((name) => `${SESSIONS}/${name}`);
  const policies = ['--policy', 'none,opencode-1.2.16,document-002'];
  await main(['run', ...sessions, ...policies, '--set', 'contextTokens=64000', '--out', path], {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: {},
    signal: new AbortController().signal,
    now: () => 0,
  });
}

async function takePicture(page: string): Promise<void> {
  const browser = await launchChromium();
  try {
    const tab = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
    await tab.goto(`${page}${SHOWN}`);
    await tab.locator('.shown .tip-text').first().waitFor();
    await tab.screenshot({ path: PICTURE });
  } finally {
    await browser.close();
  }
}
