import type { Evidence } from '../events.ts';
import { groupBy } from '../lib/collections.ts';
import { compareTexts, listed } from '../lib/text.ts';
import type { SettingValues } from '../scenario/settings.ts';
import { formatCount } from './numbers.ts';
import { describeRecordedModels, type RecordedModels } from './recorded-models.ts';
import type { TokenizerBasis } from './report.ts';

/** The release, the catalog and the tokenizers that something was made by, as far as they are known. */
interface Makers {
  /** Release of the program that ran. */
  readonly version?: string | undefined;
  readonly catalog?: { readonly source: string; readonly hash: string } | undefined;
  /** What counted the tokens of each model, by its name. */
  readonly tokenizers?: Readonly<Record<string, TokenizerBasis>> | undefined;
}

/** What numbers rest on besides the policy, the model and the sessions, as far as it is known. */
export interface Origin extends Makers {
  /** Settings that all runs have in common, besides those that vary. */
  readonly settings: SettingValues;
  /** What the sessions were recorded with; absent where nobody noted it. */
  readonly recorded?: RecordedModels | undefined;
}

/** What the tokens of sessions rest on of which nothing was measured. */
export const OF_UNMEASURED =
  "Tokens are scaled to a session's recorded usage; where it has none they are not, and its system prompt and tools are assumed: 'run' tells which.";

const OWN = {
  measured: "the model's own",
  estimated: "not the model's own: estimated",
} as const satisfies Record<Evidence, string>;

/** Models of one tokenizer that are named; JSON documents name all. */
const MOST_NAMED = 3;

/** What was set, and by what it was measured, in a sentence or two. */
export function describeOrigin(origin: Origin): string {
  const set = pairsOf(origin.settings);
  const models = Object.keys(origin.tokenizers ?? {});
  return [
    ...(set.length === 0 ? [] : [`Set: ${set.join(', ')}.`]),
    describeMakers(origin),
    ...(models.length > 0 ? [OF_UNMEASURED] : []),
    ...describeRecordedModels(origin.recorded, { against: models }),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** The release, the catalog and the tokenizers that something was made by, in a sentence; empty where none is known. */
export function describeMakers({ version, catalog, tokenizers = {} }: Makers = {}): string {
  const counted = countedBy(tokenizers);
  const makers = [
    ...(version === undefined ? [] : [`compaction-bench ${version}`]),
    ...(catalog === undefined ? [] : [`catalog ${catalog.source} ${catalog.hash}`]),
    ...(counted.length === 0 ? [] : [`tokens of ${counted.join(', ')}`]),
  ];
  return makers.length === 0 ? '' : `Made by: ${makers.join(', ')}.`;
}

/** Settings as they are given, one text each. */
export function pairsOf(
  settings: Readonly<Record<string, number | boolean | string>>,
): readonly string[] {
  return Object.entries(settings).map(([key, value]) => `${key}=${value}`);
}

/** Which tokenizer counts for which models, and whether it is their own, one text each; of many models the first ones by name. */
export function countedBy(tokenizers: Readonly<Record<string, TokenizerBasis>>): readonly string[] {
  const models = Object.entries(tokenizers).toSorted(([a], [b]) => compareTexts(a, b));
  const byTokenizer = groupBy(models, ([, basis]) => describeTokenizer(basis));
  return [...byTokenizer].map(([tokenizer, counted]) => {
    const names = counted.slice(0, MOST_NAMED).map(([model]) => model);
    const others = counted.length - names.length;
    const all = [...names, ...(others > 0 ? [`${formatCount(others)} more`] : [])];
    return `${listed(all, 'and')} by ${tokenizer}`;
  });
}

/** A tokenizer, and whether it is the model's own. */
export function describeTokenizer({ name, evidence }: TokenizerBasis): string {
  return `${name} (${OWN[evidence]})`;
}

/** The settings that have the same value wherever any of them is set. */
export function commonSettings(all: readonly SettingValues[]): SettingValues {
  const [first = {}, ...others] = all;
  const isCommon = ([key, value]: [string, unknown]) =>
    others.every((settings) => settings[key as keyof SettingValues] === value);
  return Object.fromEntries(Object.entries(first).filter(isCommon));
}
