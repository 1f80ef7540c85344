import { fileURLToPath } from 'node:url';
import { HarnessError } from '../../lib/errors.ts';
import { readTextFile } from '../../lib/files.ts';
import { inlineScripts } from './inline-scripts.ts';

const FOLDER = new URL('./page/', import.meta.url);

/** The looks of a page in the order in which later ones win: by day and by night, then on a phone and on paper. */
const STYLES = ['colors.css', 'page.css', 'tables.css', 'charts.css', 'media.css'];

const ENTRY = 'boot.js';

/** The styles of a page as one. */
export function readStyle(): string {
  return STYLES.map(readSource).join('\n');
}

/** The scripts of a page as one. */
export function readScript(): string {
  return inlineScripts(ENTRY, readSource);
}

function readSource(name: string): string {
  return readTextFile(fileURLToPath(new URL(name, FOLDER)), (reason, cause) => {
    const message = `Expected '${name}' to come with the package, but it cannot be read: ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  });
}
