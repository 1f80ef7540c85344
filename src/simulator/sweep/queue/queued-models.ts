import * as z from 'zod';
import { badOption } from '../../errors.ts';
import { quoted } from '../../names.ts';
import { CASSETTE_MODES } from '../../summarizer/cassette/cassette.ts';
import type { ModelSettings } from '../../summarizer/open.ts';

/** How the workers of a sweep ask real models: settings, and no key. */
export interface QueuedModels {
  readonly settings: ModelSettings;
  /** The seed of the first trial. */
  readonly firstSeed: number;
}

/** What a queue may not decide for a worker: where its key goes, and which of its folders is written to. */
export type OwnSettings = Pick<ModelSettings, 'baseUrl' | 'apiKeyEnv' | 'cassette'>;

const Count = z.int().nonnegative();
const Models = z.strictObject({
  settings: z.strictObject({
    baseUrl: z.string().optional(),
    apiKeyEnv: z.string().optional(),
    api: z.enum(['chat', 'responses']).optional(),
    streams: z.boolean(),
    outputCapTokens: Count.optional(),
    timeoutMs: z.number().positive(),
    retries: Count,
    concurrency: Count,
    requestsPerMinute: Count.optional(),
    tokensPerMinute: Count.optional(),
    budgetUsd: z.number().nonnegative().optional(),
    isDryRun: z.literal(false),
    cassette: z.string().optional(),
    cassetteMode: z.enum(CASSETTE_MODES),
    needsCassette: z.boolean().optional(),
  }),
  firstSeed: Count,
}) satisfies z.ZodType<QueuedModels>;

const OWN = [
  ['baseUrl', '--base-url'],
  ['apiKeyEnv', '--api-key-env'],
  ['cassette', '--cassette'],
] as const satisfies readonly (readonly [keyof OwnSettings, string])[];

/** How models are asked, from the text that a queue holds. Throws where it is something else. */
export function parseModels(text: string): QueuedModels {
  return Models.parse(JSON.parse(text));
}

/** Throws `HarnessError` where a sweep has another address, variable or folder than the worker was started with. */
export function checkOwn(settings: ModelSettings, own: OwnSettings): void {
  for (const [key, option] of OWN) {
    if (settings[key] === own[key]) continue;
    const [here, there] = [own[key], settings[key]].map((value) =>
      value === undefined ? 'none' : quoted(value),
    );
    throw badOption(
      `Expected worker and sweep to have the same '${option}', got ${here} at the worker and ${there} at the sweep`,
    );
  }
}
