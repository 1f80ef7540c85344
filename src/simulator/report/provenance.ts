import { createHash } from 'node:crypto';
import {
  compactsUnasked,
  instructions,
  type Policy,
  REFUSAL_NOTE,
  resumeTexts,
  systemPrompts,
} from '../../engine/index.ts';
import type { Evidence, RunMode, TokenBasis } from '../events.ts';
import { MS_PER_SECOND } from '../lib/units.ts';
import { modeOf } from '../metrics/record.ts';
import { isKnownProvider } from '../provider/behaviours.ts';
import { writePricePicoUsd } from '../provider/bill.ts';
import type { CacheRules } from '../provider/cache-rules.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import type { Prices } from '../provider/prices.ts';
import { tokenizerOf } from '../tokens/encodings.ts';
import type { Block } from './document.ts';
import { describeUnread } from './run-notes.ts';
import { formatCount } from './numbers.ts';
import {
  basisLine,
  countRecordedModels,
  describeRecordedModels,
  describeTokenizer,
} from './origin.ts';
import type {
  ConfigProvenance,
  Provenance,
  SessionBasis,
  SimulatedProvider,
  UnreadInput,
} from './report.ts';
import { withoutFolder } from '../lib/files.ts';

/** The inputs of a provenance, known after a run. */
export interface ProvenanceInput {
  readonly version: string;
  /** As resolved, with every setting applied. */
  readonly policies: readonly Policy[];
  /** Its limits as used. */
  readonly model: ModelProfile;
  /** Each session keeps its own in the place of the model. */
  readonly onSetup?: boolean | undefined;
  readonly summarizer: string;
  readonly seed: number;
  /** Open loop where it is absent. */
  readonly mode?: RunMode | undefined;
  readonly catalog: { readonly source: string; readonly hash: string };
  readonly settings: Readonly<Record<string, number | boolean | string>>;
  readonly config?: ConfigProvenance;
  readonly sessions: readonly SessionBasis[];
}

/** One thing worth knowing about how a report came about. */
interface Fact {
  readonly label: string;
  /** From outside, for names and settings; else a sentence of the project's own. */
  readonly value: string;
}

/** Enough of a hash to tell two texts apart. */
const HASH_LENGTH = 12;

/** Sessions that are named in a sentence. */
const MOST_NAMED = 3;

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
    ...(input.onSetup && { onSetup: true as const }),
    ...(config && { config: withoutFolderOf(config) }),
  };
}

/** A hash of each prompt text of some policies, by name; a policy that never compacts uses none. */
export function hashPrompts(policies: readonly Policy[]): Readonly<Record<string, string>> {
  const texts = policies.filter(canCompact).flatMap(promptsOf);
  return Object.fromEntries(texts.map(([name, text]) => [name, hash(text)]));
}

/** The facts that a reader needs to repeat a report, shortest first. */
export function provenanceFacts(provenance: Provenance): readonly Fact[] {
  const { version, model, onSetup, summarizer, seed, catalog } = provenance;
  const whose =
    onSetup && provenance.estimators.sessions.length > 1 ? "each session's own, mostly " : '';
  return [
    { label: 'Made by', value: `compaction-bench ${version}` },
    { label: 'Model', value: `${whose}${model} (${describeLimits(provenance)})` },
    { label: 'Provider', value: describeProvider(provenance) },
    { label: 'Summarizer', value: summarizer },
    { label: 'Seed', value: String(seed) },
    { label: 'Mode', value: describeMode(modeOf(provenance)) },
    { label: 'Catalog', value: `${catalog.source} ${catalog.hash}` },
    ...settingsFact(provenance),
  ];
}

/** Which numbers of a report are measured and which are estimated, in sentences; `show` is for reasons and names, which quote recordings. */
export function describeEvidence(
  provenance: Provenance,
  show: (recorded: string) => string = String,
): string {
  const { tokenizer, sessions } = provenance.estimators;
  const recorded = countRecordedModels(sessions, provenance.onSetup);
  const measured = (evidenceOf: (basis: TokenBasis) => Evidence, otherwise: string) =>
    describeMeasured(
      sessions.filter(({ basis }) => evidenceOf(basis) === 'measured').length,
      sessions.length,
      otherwise,
    );
  return [
    `Tokens are counted with ${describeTokenizer(tokenizer)}`,
    `and scaled to the recorded usage ${measured(({ calibration }) => calibration, 'estimated')}`,
    `System prompt and tools are measured ${measured(({ overhead }) => overhead, 'assumed')}`,
    ...importSentences(sessions, show),
    "Prunes and overflows are decided by each policy's own estimate and the reported usage.",
    describeMoney(provenance),
    ...describeRecordedModels(recorded, { against: [provenance.model], show }),
    '– means unknown.',
  ].join(' ');
}

/** The same for a screen: the model, what wrote summaries and the seed. */
export function basisOf({
  model,
  limits,
  onSetup,
  summarizer,
  seed,
  mode,
}: Pick<Provenance, 'model' | 'summarizer' | 'seed' | 'mode'> &
  Partial<Pick<Provenance, 'limits' | 'onSetup'>>): readonly string[] {
  const window = limits?.contextTokens ? ` (${formatCount(limits.contextTokens)})` : '';
  return [
    `${onSetup ? 'mostly ' : ''}${model}${window}`,
    `summaries ${summarizer}`,
    ...(mode === 'closed-loop' ? ['closed loop'] : []),
    `seed ${seed}`,
  ];
}

/** The end of a screen: inputs that could not be read, and in one line what its numbers rest on. */
export function screenEnd(basis: readonly string[], unread: readonly UnreadInput[] = []): Block {
  const [first, ...others] = unread;
  const more = others.length > 0 ? `; ${formatCount(others.length)} more` : '';
  return basisLine(
    first === undefined ? '' : `Unread: ${describeUnread(first)}${more}`,
    `From ${basis.join(', ')}.`,
  );
}

/** Counts by reason, summed over sessions; `show` is for reasons, which quote recordings. */
export function describeTallies(
  tallies: readonly Readonly<Record<string, number>>[],
  show: (reason: string) => string = String,
): string {
  const sums = new Map<string, number>();
  for (const [reason, count] of tallies.flatMap((tally) => Object.entries(tally))) {
    sums.set(reason, (sums.get(reason) ?? 0) + count);
  }
  return [...sums].map(([reason, count]) => `${show(reason)} ${formatCount(count)}`).join(', ');
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

function withoutFolderOf(config: ConfigProvenance): ConfigProvenance {
  const { file } = config;
  return file === undefined ? config : { ...config, file: withoutFolder(file) };
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
  return (compactsUnasked(trigger) && cut.keep !== 'everything') || trigger.onRefusal === 'compact';
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

function describeLimits({ limits }: Provenance): string {
  const { contextTokens, inputTokens, outputTokens } = limits;
  return [
    contextTokens === 0 ? 'no context limit' : `context ${formatCount(contextTokens)}`,
    ...(inputTokens ? [`input ${formatCount(inputTokens)}`] : []),
    ...(outputTokens ? [`output ${formatCount(outputTokens)}`] : []),
  ].join(', ');
}

function describeProvider({ provider }: Provenance): string {
  const { dialect, refusal, trueLimits } = provider;
  return [
    `usage as ${dialect}`,
    describeCache(provider),
    `refusals as ${refusal}`,
    ...(trueLimits ? [`true context ${formatCount(trueLimits.contextTokens)}`] : []),
  ].join(', ');
}

function describeCache({ cache, isCacheUnknown, cacheTtlMs }: Provenance['provider']): string {
  if (isCacheUnknown) return 'no cache assumed (unknown provider)';
  return cache === 'none' ? 'no cache' : `cache ${cache} (${cacheTtlMs / MS_PER_SECOND} s)`;
}

function describeMode(mode: RunMode): string {
  return mode === 'closed-loop'
    ? 'closed loop (what is lost is re-read)'
    : 'open loop (counterfactual, fixed trajectory)';
}

function settingsFact({ settings }: Provenance): readonly Fact[] {
  const pairs = Object.entries(settings).map(([name, value]) => `${name}=${String(value)}`);
  return pairs.length === 0 ? [] : [{ label: 'Settings', value: pairs.join(' ') }];
}

/** In how many sessions something is measured, and what it is elsewhere, if there is an elsewhere. */
function describeMeasured(measured: number, all: number, otherwise: string): string {
  if (measured < all) return `in ${measured} of ${all} sessions; elsewhere they are ${otherwise}.`;
  return all === 1 ? 'in the session.' : `in all ${all} sessions.`;
}

/** Sentences on what imports left out or mended, and on sessions that begin in the middle; nothing where all are whole. */
function importSentences(
  sessions: Provenance['estimators']['sessions'],
  show: (reason: string) => string,
): readonly string[] {
  const partial = sessions.filter(({ isPartial }) => isPartial);
  const sharing = sessions.filter(({ sharedMessages }) => sharedMessages !== undefined).length;
  const dropped = describeTallies(
    sessions.map((one) => one.dropped),
    show,
  );
  const repaired = describeTallies(
    sessions.map((one) => one.repaired),
    show,
  );
  return [
    ...describePartial(partial, sessions.length, show),
    ...(sharing > 0
      ? [
          `${sharing} of ${sessions.length} sessions ${sharing === 1 ? 'begins' : 'begin'} with messages of another one: what happens there is counted in both, and they are not independent.`,
        ]
      : []),
    ...(dropped === '' ? [] : [`Left out on import: ${dropped}.`]),
    ...(repaired === '' ? [] : [`Repaired on import: ${repaired}.`]),
  ];
}

/** Sessions that begin in the middle, the first ones by name. */
function describePartial(
  partial: readonly SessionBasis[],
  all: number,
  show: (text: string) => string,
): readonly string[] {
  if (partial.length === 0) return [];
  const named = partial.slice(0, MOST_NAMED).map(({ session }) => show(session));
  const others = partial.length - named.length;
  const names = [...named, ...(others > 0 ? [`${formatCount(others)} more`] : [])].join(', ');
  const words = partial.length === 1 ? 'is partial' : 'are partial';
  return [
    `${partial.length} of ${all} sessions ${words} (${names}): what came before the beginning is missing; it is counted only where usage is recorded.`,
  ];
}

function describeMoney({ provider }: Provenance): string {
  const { unknownPrices } = provider;
  if (unknownPrices.includes('all')) return 'No price is known for the model.';
  const assumed =
    unknownPrices.length === 0
      ? ''
      : `; the ${unknownPrices.join(' and ')} price is unknown and taken to be that of uncached input`;
  return `Dollars are list prices with the simulated cache${assumed}.`;
}
