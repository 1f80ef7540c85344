import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

const EXECUTABLE = '/usr/bin/chromium';
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Whether there is a browser to test with. */
export const hasChromium = existsSync(EXECUTABLE);

/** Words for the name of tests that need a browser. */
export const browserNote = hasChromium
  ? ''
  : ` (skipped: no ${EXECUTABLE}; apt-get install chromium)`;

/** A browser for the tests of one file. */
export function useChromium(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (hasChromium) {
      browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
    }
  });
  afterAll(async () => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('Expected a browser, got none.');
    return browser;
  };
}
