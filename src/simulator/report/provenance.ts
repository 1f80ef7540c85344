import { createHash } from 'node:crypto';
import { basename, isAbsolute } from 'node:path';
import {
  instructions,
  type Policy,
  REFUSAL_NOTE,
  resumeTexts,
  systemPrompts,
} from '../../engine/index.ts';
import type { RunMode } from '../events.ts';
import { isKnownProvider } from '../provider/behaviours.ts';
import { writePricePicoUsd } from '../provider/bill.ts';
import type { CacheRules } from '../provider/cache-rules.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import type { Prices } from '../provider/prices.ts';
import { tokenizerOf } from '../tokens/encodings.ts';
import type { ConfigProvenance, Provenance, SessionBasis, SimulatedProvider } from './report.ts';

/** What a command knows about itself when it has run. */
export interface ProvenanceInput {
  readonly version: string;
  /** As resolved, with every setting applied. */
  readonly policies: readonly Policy[];
  /** Its limits as used. */
  readonly model: ModelProfile;
  readonly summarizer: string;
  readonly seed: number;
  /** Open loop where it is absent. */
  readonly mode?: RunMode | undefined;
  readonly catalog: { readonly source: string; readonly hash: string };
  readonly settings: Readonly<Record<string, number | boolean | string>>;
  readonly config?: ConfigProvenance;
  readonly sessions: readonly SessionBasis[];
}

/** Enough of a hash to tell two texts apart. */
const HASH_LENGTH = 12;

/** Everything that would have to be the same to get the same numbers. */
export function buildProvenance(input: ProvenanceInput): Provenance {
  const { version, policies, model, summarizer, seed, mode, catalog, settings, config } = input;
  return {
    version,
    policies,
    model: model.id,
    limits: model.limits,
    provider: toProvider(input),
    summarizer,
    seed,
    mode: mode ?? 'open-loop',
    catalog: { source: withoutFolder(catalog.source), hash: catalog.hash },
    prompts: hashPrompts(policies),
    estimators: toEstimators(input),
    settings,
    ...(config && { config: { ...config, file: withoutFolder(config.file) } }),
  };
}

/** A hash of each prompt text of some policies, by name; a policy that never compacts uses none. */
export function hashPrompts(policies: readonly Policy[]): Readonly<Record<string, string>> {
  const texts = policies.filter(canCompact).flatMap(promptsOf);
  return Object.fromEntries(texts.map(([name, text]) => [name, hash(text)]));
}

/** Folders of one machine are nobody else's business. */
export function withoutFolder(path: string): string {
  return isAbsolute(path) ? basename(path) : path;
}

function toProvider({ model, settings }: ProvenanceInput): SimulatedProvider {
  const { id, limits, trueLimits, behaviour, cache, prices } = model;
  const { dialect, refusal, checks } = behaviour;
  const isCacheUnknown = !isKnownProvider(id) && settings['cache'] === undefined;
  return {
    ...(trueLimits !== limits && { trueLimits }),
    dialect,
    cache: behaviour.cache,
    ...(isCacheUnknown && { isCacheUnknown: true as const }),
    cacheTtlMs: cache.ttlMs,
    refusal,
    checks,
    unknownPrices: prices === undefined ? ['all'] : unknownPrices(prices, cache),
  };
}

/** A price that no bill asks for is not missing. */
function unknownPrices(prices: Prices, rules: CacheRules) {
  const { kind, billsWrites } = rules;
  const isWriteUnknown = writePricePicoUsd(prices, rules) === undefined;
  return [
    ...(kind !== 'none' && prices.cacheReadPicoUsd === undefined ? ['cache read'] : []),
    ...(billsWrites && isWriteUnknown ? ['cache write'] : []),
  ];
}

function toEstimators({ model, policies, sessions }: ProvenanceInput): Provenance['estimators'] {
  const { name, evidence } = tokenizerOf(model.id);
  return {
    tokenizer: { name, evidence },
    policies: Object.fromEntries(policies.map((policy) => [policy.name, policy.estimator])),
    sessions: sessions.map((one) => ({ ...one, session: withoutFolder(one.session) })),
  };
}

function canCompact({ trigger, cut }: Policy): boolean {
  return (trigger.auto && cut.keep !== 'everything') || trigger.onRefusal === 'compact';
}

function promptsOf({ summary, resume }: Policy): readonly (readonly [string, string])[] {
  return [
    summary.systemText === undefined
      ? [`system ${summary.systemPrompt}`, systemPrompts[summary.systemPrompt]]
      : ['system as configured', summary.systemText],
    [`instruction ${summary.instruction}`, instructions[summary.instruction]],
    ...(resume.continueText === undefined
      ? []
      : [[`resume ${resume.continueText}`, resumeTexts[resume.continueText]] as const]),
    ...(resume.explainRefusal ? [['refusal note', REFUSAL_NOTE] as const] : []),
  ];
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}
