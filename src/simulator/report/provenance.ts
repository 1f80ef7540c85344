import { createHash } from 'node:crypto';
import {
  compactsUnasked,
  instructions,
  type Policy,
  REFUSAL_NOTE,
  resumeTexts,
  systemPrompts,
} from '../../engine/index.ts';
import type { RunMode, TokenBasis } from '../events.ts';
import { known } from '../lib/collections.ts';
import { withoutFolder } from '../lib/files.ts';
import { isKnownProvider } from '../provider/behaviours.ts';
import { writePricePicoUsd } from '../provider/prices.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import { tokenizerOf } from '../tokens/encodings.ts';
import type { Block } from './document.ts';
import { formatCount } from './numbers.ts';
import {
  basisLine,
  countRecordedModels,
  describeRecordedModels,
  describeTokenizer,
  describeUnread,
} from './origin.ts';
import type { ConfigProvenance, Provenance, SessionBasis, UnreadInput } from './report.ts';

export interface ProvenanceInput
  extends Pick<Provenance, 'version' | 'summarizer' | 'seed' | 'catalog' | 'settings'> {
  readonly policies: readonly Policy[];
  readonly model: ModelProfile;
  readonly onSetup?: boolean | undefined;
  readonly mode?: RunMode | undefined;
  readonly config?: ConfigProvenance;
  readonly sessions: readonly SessionBasis[];
}

const HASH_LENGTH = 12;
const MOST_NAMED = 3;

export function buildProvenance(input: ProvenanceInput): Provenance {
  const { version, policies, model, summarizer, seed, mode, catalog, settings, config } = input;
  const { name, evidence } = tokenizerOf(model.id);
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
    estimators: {
      tokenizer: { name, evidence },
      policies: Object.fromEntries(policies.map((policy) => [policy.name, policy.estimator])),
      sessions: input.sessions.map((one) => ({ ...one, session: withoutFolder(one.session) })),
    },
    settings,
    ...(input.onSetup && { onSetup: true as const }),
    ...(config && {
      config: { ...config, ...known({ file: config.file && withoutFolder(config.file) }) },
    }),
  };
}

/** A hash of each prompt text; a policy that never compacts uses none. */
export function hashPrompts(policies: readonly Policy[]): Readonly<Record<string, string>> {
  const texts = policies.flatMap((policy): readonly (readonly [string, string])[] => {
    const { trigger, cut, summary, resume } = policy;
    const compacts = compactsUnasked(trigger) && cut.keep !== 'everything';
    if (!compacts && trigger.onRefusal !== 'compact') return [];
    const { systemText, systemPrompt, instruction } = summary;
    const { continueText, explainRefusal } = resume;
    return [
      systemText === undefined
        ? [`system ${systemPrompt}`, systemPrompts[systemPrompt]]
        : ['system as configured', systemText],
      [`instruction ${instruction}`, instructions[instruction]],
      ...(continueText === undefined
        ? []
        : [[`resume ${continueText}`, resumeTexts[continueText]] as const]),
      ...(explainRefusal ? [['refusal note', REFUSAL_NOTE] as const] : []),
    ];
  });
  return Object.fromEntries(
    texts.map(([name, text]) => {
      const hash = createHash('sha256').update(text).digest('hex');
      return [name, hash.slice(0, HASH_LENGTH)];
    }),
  );
}

/** `show` is for words of recordings. */
export function describeEvidence(
  { estimators, onSetup, model, provider: { unknownPrices } }: Provenance,
  show: (recorded: string) => string = String,
) {
  const { tokenizer, sessions } = estimators;
  const all = sessions.length;
  const measured = (key: keyof TokenBasis, otherwise: string) => {
    const { length } = sessions.filter(({ basis }) => basis[key] === 'measured');
    if (length < all) return `in ${length} of ${all} sessions; elsewhere they are ${otherwise}.`;
    return all === 1 ? 'in the session.' : `in all ${all} sessions.`;
  };
  const assumed =
    unknownPrices.length === 0
      ? ''
      : `; the ${unknownPrices.join(' and ')} price is unknown and taken to be that of uncached input`;
  const recorded = countRecordedModels(sessions, onSetup);
  return [
    `Tokens are counted with ${describeTokenizer(tokenizer)}`,
    `and scaled to the recorded usage ${measured('calibration', 'estimated')}`,
    `System prompt and tools are measured ${measured('overhead', 'assumed')}`,
    ...importSentences(sessions, show),
    "Prunes and overflows are decided by each policy's own estimate and the reported usage.",
    unknownPrices.includes('all')
      ? 'No price is known for the model.'
      : `Dollars are list prices with the simulated cache${assumed}.`,
    ...describeRecordedModels(recorded, { against: [model], show }),
    '– means unknown.',
  ].join(' ');
}

export function basisOf({
  model,
  limits,
  onSetup,
  summarizer,
  seed,
  mode,
}: Pick<Provenance, 'model' | 'summarizer' | 'seed' | 'mode'> &
  Partial<Pick<Provenance, 'limits' | 'onSetup'>>) {
  const window = limits?.contextTokens ? ` (${formatCount(limits.contextTokens)})` : '';
  return [
    `${onSetup ? 'mostly ' : ''}${model}${window}`,
    `summaries ${summarizer}`,
    ...(mode === 'closed-loop' ? ['closed loop'] : []),
    `seed ${seed}`,
  ];
}

/** Unread inputs, and in one line what the numbers rest on. */
export function screenEnd(basis: readonly string[], unread: readonly UnreadInput[] = []): Block {
  const [first, ...others] = unread;
  const more = others.length > 0 ? `; ${formatCount(others.length)} more` : '';
  return basisLine(
    first === undefined ? '' : `Unread: ${describeUnread(first)}${more}`,
    `From ${basis.join(', ')}.`,
  );
}

/** `show` is for reasons, which quote recordings. */
export function describeTallies(
  tallies: readonly Readonly<Record<string, number>>[],
  show: (reason: string) => string = String,
) {
  const sums = new Map<string, number>();
  for (const [reason, count] of tallies.flatMap((tally) => Object.entries(tally)))
    sums.set(reason, (sums.get(reason) ?? 0) + count);
  return [...sums].map(([reason, count]) => `${show(reason)} ${formatCount(count)}`).join(', ');
}

function toProvider({ model, settings }: ProvenanceInput) {
  const { id, limits, trueLimits, behaviour, cache, prices } = model;
  const { dialect, refusal, checks } = behaviour;
  const isCacheUnknown = !isKnownProvider(id) && settings['cache'] === undefined;
  // A price that no bill asks for is not missing.
  const lacksRead = cache.kind !== 'none' && prices?.cacheReadPicoUsd === undefined;
  const lacksWrite =
    cache.billsWrites && prices !== undefined && writePricePicoUsd(prices, cache) === undefined;
  const unknown = [...(lacksRead ? ['cache read'] : []), ...(lacksWrite ? ['cache write'] : [])];
  return {
    ...(trueLimits !== limits && { trueLimits }),
    dialect,
    cache: behaviour.cache,
    ...(isCacheUnknown && { isCacheUnknown: true as const }),
    cacheTtlMs: cache.ttlMs,
    refusal,
    checks,
    unknownPrices: prices === undefined ? ['all'] : unknown,
  };
}

function importSentences(sessions: readonly SessionBasis[], show: (recorded: string) => string) {
  const all = sessions.length;
  const partial = sessions.filter(({ isPartial }) => isPartial);
  const others = partial.length - MOST_NAMED;
  const names = [
    ...partial.slice(0, MOST_NAMED).map(({ session }) => show(session)),
    ...(others > 0 ? [`${formatCount(others)} more`] : []),
  ].join(', ');
  const sharing = sessions.filter(({ sharedMessages }) => sharedMessages !== undefined).length;
  const [dropped, repaired] = (['dropped', 'repaired'] as const).map((key) =>
    describeTallies(
      sessions.map((one) => one[key]),
      show,
    ),
  );
  return [
    partial.length === 0
      ? ''
      : `${partial.length} of ${all} sessions ${partial.length === 1 ? 'is' : 'are'} partial (${names}): what came before the beginning is missing; it is counted only where usage is recorded.`,
    sharing === 0
      ? ''
      : `${sharing} of ${all} sessions ${sharing === 1 ? 'begins' : 'begin'} with messages of another one: what happens there is counted in both, and they are not independent.`,
    dropped === '' ? '' : `Left out on import: ${dropped}.`,
    repaired === '' ? '' : `Repaired on import: ${repaired}.`,
  ].filter((sentence) => sentence !== '');
}
