import type { Evidence } from '../events.ts';
import type { SettingValues } from '../scenario/settings.ts';
import type { TokenizerBasis } from './report.ts';

/** The release and the catalog that something was made by, as far as they are known. */
interface Makers {
  /** Release of the program that ran. */
  readonly version?: string | undefined;
  readonly catalog?: { readonly source: string; readonly hash: string } | undefined;
}

/** What numbers rest on besides the policy, the model and the sessions, as far as it is known. */
export interface Origin extends Makers {
  /** What counted the tokens of each model, by its name. */
  readonly tokenizers?: Readonly<Record<string, TokenizerBasis>> | undefined;
  /** Settings that all runs have in common, besides those that vary. */
  readonly settings: SettingValues;
}

/** What the tokens of sessions rest on of which nothing was measured. */
export const OF_UNMEASURED =
  "Tokens are scaled to a session's recorded usage; where it has none they are not, and its system prompt and tools are assumed: 'run' tells which.";

const OWN = {
  measured: "the model's own",
  estimated: "not the model's own: estimated",
} as const satisfies Record<Evidence, string>;

/** What was set, and by what it was measured, in a sentence or two. */
export function describeOrigin(origin: Origin): string {
  const set = pairsOf(origin.settings);
  const counted = countedBy(origin.tokenizers ?? {});
  const tokens = counted.length === 0 ? [] : [`tokens of ${counted.join(', ')}`];
  return [
    ...(set.length === 0 ? [] : [`Set: ${set.join(', ')}.`]),
    madeBy([...makersOf(origin), ...tokens]),
    ...(counted.length === 0 ? [] : [OF_UNMEASURED]),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** The release and the catalog that something was made by, in a sentence; empty where neither is known. */
export function describeMakers(makers: Makers = {}): string {
  return madeBy(makersOf(makers));
}

/** Settings as they are given, one text each. */
export function pairsOf(
  settings: Readonly<Record<string, number | boolean | string>>,
): readonly string[] {
  return Object.entries(settings).map(([key, value]) => `${key}=${value}`);
}

/** Which tokenizer counts for which model, and whether it is the model's own, one text each. */
export function countedBy(tokenizers: Readonly<Record<string, TokenizerBasis>>): readonly string[] {
  return Object.entries(tokenizers).map(
    ([model, basis]) => `${model} by ${describeTokenizer(basis)}`,
  );
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

function madeBy(makers: readonly string[]): string {
  return makers.length === 0 ? '' : `Made by: ${makers.join(', ')}.`;
}

function makersOf({ version, catalog }: Makers): readonly string[] {
  return [
    ...(version === undefined ? [] : [`compaction-bench ${version}`]),
    ...(catalog === undefined ? [] : [`catalog ${catalog.source} ${catalog.hash}`]),
  ];
}
