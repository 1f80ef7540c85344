import { listed } from '../../simulator/listed.ts';
import { quoted } from '../../simulator/names.ts';
import { makesWait } from '../../simulator/summarizer/summarizers.ts';
import type { ModelOptions } from './options.ts';

/** What each option is called that only a real model reads; a dry run of none is an error instead. */
const NAME_OF = {
  baseUrl: '--base-url',
  apiKeyEnv: '--api-key-env',
  api: '--api',
  stream: '--stream',
  outputCap: '--output-cap',
  timeout: '--timeout',
  retries: '--retries',
  concurrency: '--concurrency',
  requestsPerMinute: '--requests-per-minute',
  tokensPerMinute: '--tokens-per-minute',
  budgetUsd: '--budget-usd',
  cassette: '--cassette',
  cassetteMode: '--cassette-mode',
} as const satisfies Record<Exclude<keyof ModelOptions, 'dryRun'>, string>;

/** Options of real models that were given where none is asked, in one sentence; nothing where there are none, or one is. */
export function describeUnasked(
  options: ModelOptions,
  answerers: readonly string[],
): readonly string[] {
  const given = Object.entries(NAME_OF).filter(
    ([key]) => options[key as keyof typeof NAME_OF] !== undefined,
  );
  if (given.length === 0 || answerers.some(makesWait)) return [];
  const names = given.map(([, name]) => quoted(name));
  const verb = names.length === 1 ? 'changes' : 'change';
  return [`${listed(names, 'and')} ${verb} nothing: no real model is asked.`];
}
