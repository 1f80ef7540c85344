import * as z from 'zod';
import {
  ALL_GUARDS,
  type CleanupName,
  type CountUnit,
  type CutPolicy,
  defaultCleanups,
  type EvictionName,
  evictionOrders,
  type GuardsPolicy,
  type Limits,
  NO_GUARDS,
  policies,
  type Policy,
  type PolicyOverrides,
  prunesAt,
  replaceEviction,
  resolvePolicy,
  type TriggerCondition,
} from '../../engine/index.ts';
import { isOfTokens, ROLLING_WINDOW_MESSAGES } from '../../engine/internal.ts';
import { badOption, HarnessError } from '../lib/errors.ts';
import { named, quoted } from '../lib/names.ts';
import { MS_PER_SECOND } from '../lib/units.ts';
import { findEncoding } from '../tokens/encodings.ts';
import { parseTypedAmount } from './file/amounts.ts';
import switches from './switches.json' with { type: 'json' };

export type SettingValues = Readonly<Partial<Record<SettingName, SettingValue>>>;

export type SettingName = keyof typeof settings;

export type SettingValue = number | boolean | string;

export interface SettingTarget {
  readonly policy: Policy;
  readonly limits: Limits;
  readonly provider?: ProviderOverrides;
}

/** One number or switch that can be set from outside. */
export interface Setting {
  readonly unit: Unit;
  readonly describes: string;
  readonly value: z.ZodType<SettingValue>;
  readonly expected: string;
  /** The target with the setting in force. The control keeps its own rules. */
  apply(target: SettingTarget, value: SettingValue): SettingTarget;
}

interface Change {
  readonly policy?: PolicyOverrides;
  readonly limits?: Partial<Limits>;
  readonly provider?: ProviderOverrides;
}

type Unit = keyof typeof UNITS;
type ValueOf<Name extends Unit> = z.infer<(typeof UNITS)[Name]['value']>;

/** Provider behaviour set in place of a model's profile, by names of the provider's tables. */
export interface ProviderOverrides {
  /** True limits of the provider; absent: as declared. */
  readonly trueContextTokens?: number;
  readonly trueInputTokens?: number;
  /** How usage is reported, what is cached, how a request that is too large is refused. */
  readonly dialect?: string;
  readonly cache?: string;
  readonly refusal?: string;
  /** Checks of a request besides its size. */
  readonly checks?: readonly string[];
  readonly maxRequestBytes?: number;
  readonly cacheTtlMs?: number;
}

export interface OwnSummaries {
  /** `provider/model`. */
  readonly summaryModel?: string | undefined;
  readonly summaryPrompt?: string | undefined;
}

const Count = z.int().nonnegative();
const COUNT = { value: Count, expected: 'a non-negative integer' };
const UNITS = {
  tokens: { value: Count, expected: `${COUNT.expected}, such as 16000, 16k or 1M` },
  turns: COUNT,
  messages: COUNT,
  events: COUNT,
  steps: COUNT,
  outputs: COUNT,
  times: COUNT,
  seconds: COUNT,
  characters: { value: z.number().positive(), expected: 'a number above 0' },
  share: {
    value: z.number().positive().max(1),
    expected: 'a number above 0 and at most 1, or per cent',
  },
  switch: { value: z.boolean(), expected: 'true or false' },
  name: { value: z.string().min(1), expected: 'a name' },
} as const;

export const cleanupOf = {
  clearDuplicates: 'duplicates',
  clearSuperseded: 'superseded',
  clearFailedInputs: 'failed-inputs',
  clearMedia: 'media',
  clearReasoning: 'reasoning',
} as const satisfies Readonly<Record<string, CleanupName>>;

const BESIDE = "at which a compaction is queued, beside the rule's own limit.";
const TRIGGERS = {
  triggerTokens: [
    'tokens',
    "Tokens of a request at which a compaction is queued, in place of the rule's own limit.",
  ],
  triggerMessages: ['messages', `Messages in the view, with results of tools, ${BESIDE}`],
  triggerTurns: ['turns', `Turns in the view ${BESIDE}`],
  triggerEvents: ['events', `Events in the view, as OpenHands counts them, ${BESIDE}`],
} as const satisfies Record<string, readonly [CountUnit | 'tokens', describes: string]>;

/** All settings, by name. */
export const settings = {
  contextTokens: ofLimits('contextTokens', "The model's context window; 0 means no limit."),
  inputTokens: ofLimits('inputTokens', "The model's own cap on input; 0 means none."),
  outputTokens: ofLimits('outputTokens', "The model's longest answer; 0 means not declared."),
  reserved: ofPolicy(
    'tokens',
    'Kept free below the limit, where a rule has a reserve.',
    (amount) => ({ trigger: { reservedTokens: amount } }),
  ),
  outputCap: ofPolicy('tokens', "The agent's own cap on one answer.", (amount) => ({
    trigger: { outputCapTokens: amount },
  })),
  triggerFraction: ofPolicy(
    'share',
    "Share of the context window that a request may fill, in place of the rule's own limit.",
    (windowShare) => ({ trigger: { windowShare } }),
  ),
  ...eachOf(TRIGGERS, (_, [unit, describes]) =>
    ofPolicy(unit, describes, (atLeast, { trigger }) => {
      const isMeant = (one: TriggerCondition) =>
        unit === 'tokens' ? isOfTokens(one) : one.unit === unit;
      const { anyOf = [[{ unit: 'usable' }]] } = trigger;
      const set = { unit, atLeast };
      const lists = anyOf.some((all) => all.some(isMeant)) ? anyOf : [...anyOf, [set]];
      const changed = lists.map((all) => all.map((one) => (isMeant(one) ? set : one)));
      return { trigger: { anyOf: changed, ...(unit === 'tokens' && { windowShare: 0 }) } };
    }),
  ),
  auto: ofPolicy(
    'switch',
    'Whether compactions are queued automatically, not only by a person.',
    (auto) => ({ trigger: { auto } }),
  ),
  countNewer: ofPolicy(
    'switch',
    'Whether a check before each request adds an estimate of what came after the measured step.',
    (isOn) => ({ trigger: { countsNewerMessages: isOn, ...(isOn && { beforeRequest: true }) } }),
  ),
  protect: ofPolicy('tokens', 'Newest tool output that a prune always keeps.', (amount) => ({
    prune: { byAge: { protectTokens: amount } },
  })),
  minimum: ofPolicy('tokens', 'A prune must save more than this.', (amount) => ({
    prune: { byAge: { minimumTokens: amount } },
  })),
  guardTurns: ofPolicy('turns', 'Newest turns that a prune never touches.', (guardTurns) => ({
    prune: { byAge: { guardTurns } },
  })),
  keepOutputs: ofPolicy(
    'outputs',
    'Newest tool outputs that a prune keeps, where it keeps a number of them.',
    (outputs, { prune }) => (prune.keepLast ? { prune: { keepLast: { outputs } } } : {}),
  ),
  clearEvery: ofPolicy(
    'steps',
    'Steps between two prunes, where each request is pruned: the prompt cache holds in between.',
    (everySteps, policy) => (prunesEachRequest(policy) ? { prune: { everySteps } } : {}),
  ),
  pause: ofPolicy(
    'seconds',
    'How long the session must be idle for a prune that waits for a pause.',
    (length, { prune }) =>
      prune.when === 'idle' ? { prune: { idleMs: length * MS_PER_SECOND } } : {},
  ),
  prune: ofPolicy('switch', 'Whether old tool outputs are cleared.', (enabled) => ({
    prune: { enabled },
  })),
  ...eachOf<keyof typeof cleanupOf, string>(switches.cleanups, (name, describes) =>
    ofPolicy('switch', describes, (isOn, policy) => withCleanup(cleanupOf[name], isOn, policy)),
  ),
  evicts: ofPolicy(
    'name',
    'In which order a prune clears (not how much): clairvoyant, random, largest-first or least-recently-used.',
    toEviction,
  ),
  tailTurns: ofPolicy(
    'turns',
    'Newest turns that a pivot may keep, where it keeps turns.',
    (count, { cut }) => {
      if (cut.keep === 'last-turns') return { cut: { ...cut, count } };
      return cut.keep === 'recent-turns' ? { cut: { ...cut, turns: count } } : {};
    },
  ),
  tailTokens: ofPolicy(
    'tokens',
    'Tokens that the kept turns may have, where a pivot keeps turns; or what stays beside a checkpoint.',
    (tokens, { cut }) =>
      cut.keep === 'recent-turns' || cut.keep === 'checkpoint' ? { cut: { ...cut, tokens } } : {},
  ),
  keepMessages: ofPolicy(
    'messages',
    'Newest messages that stay, where a policy keeps messages.',
    (count, { cut, memory, view }) => ({
      ...(view === 'rolling-window' && { windowMessages: count }),
      ...(keepsMessages(cut) && { cut: { ...cut, count } }),
      ...(memory && { memory: { keepMessages: count } }),
    }),
  ),
  keepTokens: ofPolicy(
    'tokens',
    'What a pivot keeps, where it keeps text, messages or user messages up to a number of tokens.',
    (tokens, { cut }) => (keepsTokens(cut) ? { cut: { ...cut, tokens } } : {}),
  ),
  keepShare: ofPolicy(
    'share',
    'Newest share of the conversation that stays, where a pivot keeps a share.',
    (share, { cut }) => (cut.keep === 'last-share' ? { cut: { ...cut, share } } : {}),
  ),
  outputCapCharacters: ofPolicy('characters', 'Longest output that the model sees.', (chars) => ({
    reading: { outputCapCharacters: { whole: chars, kept: chars } },
  })),
  summaryCap: ofPolicy('tokens', 'Longest summary allowed.', (amount) => ({
    summary: { outputCapTokens: amount },
  })),
  charsPerToken: ofPolicy(
    'characters',
    'Characters that the policy counts as one token when it estimates.',
    (charsPerToken) => ({ estimator: { charsPerToken } }),
  ),
  estimator: ofPolicy(
    'name',
    'Tokenizer by which the policy estimates in place of characters: o200k_base or cl100k_base.',
    (tokenizer) => {
      findEncoding(tokenizer);
      return { estimator: { tokenizer } };
    },
  ),
  roundUp: ofPolicy(
    'switch',
    'Whether the policy rounds its estimates up instead of to the nearest.',
    (isOn) => ({ estimator: { rounding: isOn ? 'ceil' : 'round' } }),
  ),
  guards: ofPolicy(
    'switch',
    'Switches every guard on or off; single ones override it.',
    (isOn) => ({ guards: isOn ? ALL_GUARDS : NO_GUARDS }),
  ),
  ...eachOf<keyof GuardsPolicy, string>(switches.guards, (name, describes) =>
    typeof ALL_GUARDS[name] === 'boolean'
      ? ofPolicy('switch', describes, (isOn) => ({ guards: { [name]: isOn } }))
      : ofPolicy('times', describes, (limit) => ({ guards: { [name]: limit } })),
  ),
  trueContextTokens: ofProvider(
    'tokens',
    'The window that the provider really has, where it differs from the declared one.',
    (trueContextTokens) => ({ trueContextTokens }),
  ),
  dialect: ofProvider(
    'name',
    'How the provider reports usage; see `list dialects`.',
    (dialect) => ({ dialect }),
  ),
  cache: ofProvider('name', 'What the provider caches; see `list caches`.', (cache) => ({ cache })),
  cacheTtl: ofProvider('seconds', 'How long a cached prompt lives.', (ttl) => ({
    cacheTtlMs: ttl * MS_PER_SECOND,
  })),
  refusal: ofProvider(
    'name',
    'How the provider refuses requests that are too large; see `list refusals`.',
    (refusal) => ({ refusal }),
  ),
} satisfies Record<string, Setting>;

const NUMBER = /^(?:\d+|\d*\.\d+)$/;
/** A share as people write it: `70%`, `12.5%`. */
const PER_CENT = /^(\d+(?:\.\d+)?)%$/;
const SWITCHES = new Map([
  ['true', true],
  ['on', true],
  ['false', false],
  ['off', false],
]);
const OTHER_WORDS = new Map([
  ['window', 'contextTokens'],
  ['tail', 'tailTurns'],
]);

export function applySettings(target: SettingTarget, values: SettingValues): SettingTarget {
  return Object.entries(settings).reduce<SettingTarget>((changed, [name, setting]) => {
    const value = values[name as SettingName];
    return value === undefined ? changed : setting.apply(changed, value);
  }, target);
}

/** Settings given as `KEY=VALUE`, each key at most once. */
export function parseSettings(pairs: readonly string[]): SettingValues {
  const values = new Map<string, SettingValue>();
  for (const pair of pairs) {
    const [, key = '', text = ''] = /^([^=]*)=(.*)$/s.exec(pair)?.map((part) => part.trim()) ?? [];
    if (!pair.includes('='))
      throw badOption(`Expected a setting to be KEY=VALUE, got ${quoted(pair)}.`);
    const value = parseSettingValue(key, text);
    if (values.has(key)) throw badOption(`Expected ${quoted(key)} to be set once, got it twice.`);
    values.set(key, value);
  }
  return Object.fromEntries(values);
}

/** The table entry of a setting; for a common other name the error gives the right one. */
export function namedSetting<T extends object>(table: T, key: string): T[keyof T] {
  const meant = OTHER_WORDS.get(key);
  if (meant === undefined) return named('setting', table, key);
  throw new HarnessError(
    'UNKNOWN_NAME',
    `Unknown setting ${quoted(key)}. It is called '${meant}'.`,
  );
}

/** The value of a setting as a command line has it: `20k`, `1.5M`, `0.9`, `on`, a name. */
export function parseSettingValue(key: string, text: string): SettingValue {
  const setting: Setting = namedSetting(settings, key);
  const value = setting.value.safeParse(toTyped(text, setting));
  if (value.success) return value.data;
  throw badOption(`Expected ${quoted(key)} to be ${setting.expected}, got ${quoted(text)}.`);
}

/** True for a cut that keeps a number of tokens, but not of turns. */
export function keepsTokens(cut: CutPolicy): cut is CutPolicy & { readonly tokens: number } {
  return cut.keep === 'user-messages' || (cut.keep !== 'recent-turns' && 'tokens' in cut);
}

export function keepsMessages(cut: CutPolicy): cut is CutPolicy & { readonly count: number } {
  return cut.keep !== 'last-turns' && 'count' in cut;
}

/** True for a policy that clears before requests, or at each that is too large for it without a summary. */
export function prunesEachRequest(policy: Pick<Policy, 'prune' | 'cut'>) {
  const { cut } = policy;
  const prunesAtOverflow = cut.keep === 'everything' && prunesAt(policy, 'on-overflow');
  return prunesAtOverflow || prunesAt(policy, 'before-request');
}

/** Newest messages that a rolling window shows; absent of other views. */
export function messagesInWindow(policy: Pick<Policy, 'view' | 'windowMessages'>) {
  const { windowMessages = ROLLING_WINDOW_MESSAGES } = policy;
  return policy.view === 'rolling-window' ? windowMessages : undefined;
}

/** A policy with a summary model and prompt of one's own; the control has no summaries. */
export function withSummaries(
  policy: Policy,
  { summaryModel: model, summaryPrompt: systemText }: OwnSummaries,
): Policy {
  const isOwn = model !== undefined || systemText !== undefined;
  if (!isOwn || policy.name === policies.none.name) return policy;
  return resolvePolicy(policy, { summary: { model, systemText } });
}

/** The lesser of context window and input cap in tokens; 0 where neither is known. */
export function windowTokensOf({ contextTokens, inputTokens = 0 }: Limits) {
  return Math.min(contextTokens || inputTokens, inputTokens || contextTokens);
}

function toTyped(text: string, { unit }: Setting) {
  if (NUMBER.test(text)) return Number(text);
  const [, perCent] = unit === 'share' ? (PER_CENT.exec(text) ?? []) : [];
  // Of a hundredth, only what binary fractions add is rounded off.
  if (perCent !== undefined) return Number((Number(perCent) / 100).toPrecision(15));
  if (unit === 'tokens') return parseTypedAmount(text) ?? text;
  return SWITCHES.get(text) ?? text;
}

function createSetting<Name extends Unit>(
  unit: Name,
  describes: string,
  toChange: (value: ValueOf<Name>, policy: Policy) => Change,
): Setting {
  const { value: schema, expected } = UNITS[unit];
  const apply = ({ policy, limits, provider }: SettingTarget, value: SettingValue) => {
    const change = toChange(schema.parse(value) as ValueOf<Name>, policy);
    const isControl = policy.name === policies.none.name;
    return {
      policy: isControl ? policy : resolvePolicy(policy, change.policy),
      limits: { ...limits, ...change.limits },
      ...((provider ?? change.provider) && { provider: { ...provider, ...change.provider } }),
    };
  };
  return { unit, describes, value: schema, expected, apply };
}

function ofPolicy<Name extends Unit>(
  unit: Name,
  describes: string,
  toOverrides: (value: ValueOf<Name>, policy: Policy) => PolicyOverrides,
): Setting {
  return createSetting(unit, describes, (value, policy) => ({
    policy: toOverrides(value, policy),
  }));
}

function ofLimits(name: keyof Limits, describes: string): Setting {
  return createSetting('tokens', describes, (amount) => ({ limits: { [name]: amount } }));
}

function ofProvider<Name extends Unit>(
  unit: Name,
  describes: string,
  toOverrides: (value: ValueOf<Name>) => ProviderOverrides,
): Setting {
  return createSetting(unit, describes, (value) => ({ provider: toOverrides(value) }));
}

function eachOf<Name extends string, Row>(
  rows: Readonly<Record<Name, Row>>,
  toSetting: (name: Name, row: Row) => Setting,
): Readonly<Record<Name, Setting>> {
  const entries = Object.entries<Row>(rows).map(([name, row]) => [
    name,
    toSetting(name as Name, row),
  ]);
  return Object.fromEntries(entries);
}

function toEviction(name: string, policy: Policy): PolicyOverrides {
  named('eviction order', evictionOrders, name);
  const { prune, breaks } = replaceEviction(policy, name as EvictionName);
  return prune.when === 'never' ? {} : { prune, breaks };
}

function withCleanup(name: CleanupName, isOn: boolean, { prune }: Policy): PolicyOverrides {
  const { cleanups = [] } = prune;
  if (cleanups.some(({ pass }) => pass === name) === isOn) return {};
  const others = cleanups.filter(({ pass }) => pass !== name);
  return { prune: { cleanups: isOn ? [...cleanups, defaultCleanups[name]] : others } };
}
