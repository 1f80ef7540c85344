import { quoted, quotedLong } from '../../simulator/names.ts';
import type { Catalog } from '../../simulator/provider/catalog.ts';
import { misspeltModel } from '../../simulator/provider/find-model.ts';
import type { GivenSettings } from './settings.ts';

/** What was given to a command that replays sessions. */
interface Given {
  readonly settings: GivenSettings;
  /** `provider/model` each. */
  readonly models: readonly string[];
  readonly catalog: Catalog;
}

/** What somebody may not expect of what they gave, one sentence each. */
export function describeGiven({ settings, models, catalog }: Given): readonly string[] {
  return [...describeConfig(settings), ...models.flatMap((model) => describeModel(model, catalog))];
}

/** The same of a configuration file alone. */
export function describeConfig({
  values,
  config,
  isConfigSilent,
}: GivenSettings): readonly string[] {
  if (config === undefined) return [];
  const file = quotedLong(config.file);
  if (isConfigSilent === true) {
    const others = Object.keys(values).length === 0 ? 'all' : 'all other';
    return [
      `${file} says nothing of compaction, so that ${others} settings are those of the policy.`,
    ];
  }
  if (config.summaryModel === undefined) return [];
  const model = `${quoted(config.summaryModel)} in ${file} lends its window to summary requests`;
  return [`${model}; '--summarizer' names what answers them.`];
}

/** A model that is not known may be one's own, unless it is called much like another or is of a provider that is known. */
function describeModel(model: string, catalog: Catalog): readonly string[] {
  if (catalog.models.has(model)) return [];
  const nearest = misspeltModel(catalog, model);
  if (nearest === undefined && !hasProviderOf(model, catalog)) return [];
  const own = `The catalog has no model ${quoted(model)}, so that it has the window that was given and no prices`;
  return [nearest === undefined ? `${own}.` : `${own}; nearest: ${nearest}.`];
}

function hasProviderOf(model: string, { models }: Catalog): boolean {
  const provider = model.slice(0, model.indexOf('/') + 1);
  return provider !== '' && [...models.keys()].some((name) => name.startsWith(provider));
}
