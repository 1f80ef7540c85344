import type { SettingValues } from '../simulator/scenario/settings.ts';
import type { Origin } from '../simulator/report/origin.ts';
import { readVersion } from './package.ts';
import { tokenizersOf } from '../simulator/tokens/encodings.ts';
import { withoutFolder } from '../simulator/lib/files.ts';

/** The origin of a result without models. */
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
