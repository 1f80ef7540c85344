import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutFolder } from '../simulator/lib/files.ts';
import type { Origin } from '../simulator/report/origin.ts';
import type { SettingValues } from '../simulator/scenario/settings.ts';
import { tokenizersOf } from '../simulator/tokens/encodings.ts';

/** The same distance from the sources as from what is built of them. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const SHIPPED_SESSIONS = join(ROOT, 'scenarios', 'recorded');

export const SHIPPED_SCENARIOS = join(ROOT, 'scenarios');

export function readVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  return version;
}

export function nameInPackage(path: string) {
  return relative(ROOT, path).split(sep).join('/');
}

export function pathInPackage(shown: string) {
  return join(ROOT, shown);
}

export function ownOrigin(settings: SettingValues = {}): Origin {
  return { version: readVersion(), settings };
}

export function originOf(
  { source, hash }: { source: string; hash: string },
  models: readonly string[],
  settings: SettingValues,
): Origin {
  return {
    version: readVersion(),
    catalog: { source: withoutFolder(source), hash },
    tokenizers: tokenizersOf(models),
    settings,
  };
}
