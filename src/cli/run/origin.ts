import type { Origin } from '../../simulator/report/origin.ts';
import { withoutFolder } from '../../simulator/report/provenance.ts';
import type { SettingValues } from '../../simulator/scenario/settings.ts';
import { tokenizersOf } from '../../simulator/tokens/tokenizer-of.ts';
import { readVersion } from '../inputs/package-files.ts';

/** What rests on no model: this program, and what was set. */
export function ownOrigin(settings: SettingValues = {}): Origin {
  return { version: readVersion(), settings };
}

/** What runs of this program rest on. */
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
