import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { CHROMIUM, hasChromium, launchChromium } from './launch-chromium.ts';

export { hasChromium } from './launch-chromium.ts';

/** Words for the name of tests that need a browser. */
export const browserNote = hasChromium
  ? ''
  : ` (skipped: no ${CHROMIUM}; apt-get install chromium)`;

/** A browser for the tests of one file. */
export function useChromium(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (hasChromium) browser = await launchChromium();
  });
  afterAll(async () => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('Expected a browser, got none.');
    return browser;
  };
}
