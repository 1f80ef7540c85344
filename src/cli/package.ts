import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Origin } from '../simulator/report/origin.ts';
import { withoutFolder } from '../simulator/report/provenance.ts';
import type { SettingValues } from '../simulator/scenario/settings.ts';
import { tokenizersOf } from '../simulator/tokens/encodings.ts';

/** The same distance from the sources as from what is built of them. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Where the sessions lie that come with the package. */
export const SHIPPED_SESSIONS = join(ROOT, 'scenarios', 'recorded');

/** Where the scenarios lie that come with the package. */
export const SHIPPED_SCENARIOS = join(ROOT, 'scenarios');

/** The version of the package. */
export function readVersion(): string {
  const text = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}

/** A path of the package as it is shown: the same on every machine. */
export function nameInPackage(path: string): string {
  return relative(ROOT, path).split(sep).join('/');
}

/** The path of the package that is shown as this. */
export function pathInPackage(shown: string): string {
  return join(ROOT, shown);
}

/** The origin of a result without models: this program, and the settings. */
export function ownOrigin(settings: SettingValues = {}): Origin {
  return { version: readVersion(), settings };
}

/** The origin of runs of this program. */
export function originOf(
  { source, hash }: { readonly source: string; readonly hash: string },
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
