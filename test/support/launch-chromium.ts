import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian puts its browser. */
export const CHROMIUM = '/usr/bin/chromium';

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Whether there is a browser. */
export const hasChromium = existsSync(CHROMIUM);

/** A browser without a window, which asks nothing of anybody by itself. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}
