import * as z from 'zod';
import {
  ALL_GUARDS,
  type CleanupName,
  type CleanupPolicy,
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
  replaceEviction,
  resolvePolicy,
} from '../../engine/index.ts';
import { ROLLING_WINDOW_MESSAGES } from '../../engine/internal.ts';
import { badOption, HarnessError } from '../lib/errors.ts';
import { named, quoted } from '../lib/names.ts';
import { MS_PER_SECOND } from '../lib/units.ts';
import { findEncoding } from '../tokens/encodings.ts';
import { parseTypedAmount } from './file/amounts.ts';

/** Settings in force, by name. */
export type SettingValues = Readonly<Partial<Record<SettingName, SettingValue>>>;

/** The name of a setting. */
export type SettingName = keyof typeof settings;

/** The value of a setting. */
export type SettingValue = number | boolean | string;

/** A policy and a model, as settings change them. */
export interface SettingTarget {
  readonly policy: Policy;
  readonly limits: Limits;
  /** Overrides of the provider's profile; absent: none. */
  readonly provider?: ProviderOverrides;
}

/** One number or switch that can be set from outside. */
export interface Setting {
  readonly unit: Unit;
  readonly describes: string;
  /** Accepted values as a schema; `expected` says them in words. */
  readonly value: z.ZodType<SettingValue>;
  readonly expected: string;
  /** The target with the setting in force. The control keeps its own rules. */
  apply(target: SettingTarget, value: SettingValue): SettingTarget;
}

/** Changes that one setting makes to its target. */
interface Change {
  readonly policy?: PolicyOverrides;
  readonly limits?: Partial<Limits>;
  readonly provider?: ProviderOverrides;
}

type Unit = keyof typeof UNITS;
type ValueOf<Name extends Unit> = z.infer<(typeof UNITS)[Name]['value']>;

/** Converts a value to changes of the policy that it meets. */
type ToChange<Value> = (value: Value, policy: Policy) => Change;

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

type SwitchName = {
  readonly [Name in keyof GuardsPolicy]: GuardsPolicy[Name] extends boolean ? Name : never;
}[keyof GuardsPolicy];

type LimitName = Exclude<keyof GuardsPolicy, SwitchName>;

/** Cut policies that keep a number of tokens, but for those that keep turns. */
type KeepsTokens =
  | Exclude<Extract<CutPolicy, { readonly tokens: number }>, { keep: 'recent-turns' }>
  | Extract<CutPolicy, { keep: 'user-messages' }>;
/** Cut policies that keep a number of messages. */
type KeepsMessages = Exclude<
  Extract<CutPolicy, { readonly count: number }>,
  { keep: 'last-turns' }
>;

/** A summary model and prompt that replace the policy's own; absent: the policy's. */
export interface OwnSummaries {
  /** `provider/model`. */
  readonly summaryModel?: string | undefined;
  /** A system prompt of one's own for the summary agent. */
  readonly summaryPrompt?: string | undefined;
}

const Count = z.int().nonnegative();
const COUNT = { value: Count, expected: 'a non-negative integer' };
/** Units of settings, each with the values that it accepts. */
const UNITS = {
  tokens: { value: Count, expected: `${COUNT.expected}, such as 16000, 16k or 1M` },
  turns: COUNT,
  messages: COUNT,
  outputs: COUNT,
  times: COUNT,
  seconds: COUNT,
  characters: { value: z.number().positive(), expected: 'a number above 0' },
  share: {
    value: z.number().positive().max(1),
    expected: 'a number above 0 and at most 1, or per cent',
  },
  switch: { value: z.boolean(), expected: 'true or false' },
  /** A name of a table of the provider's room. */
  name: { value: z.string().min(1), expected: 'a name' },
} as const;

/** Clean-ups of a policy, one by one. */
const cleanupSettings = {
  clearDuplicates: cleanup(
    'duplicates',
    'Whether outputs are cleared once the same call is made again.',
  ),
  clearSuperseded: cleanup(
    'superseded',
    'Whether what was written to a file is cleared once the file is read.',
  ),
  clearFailedInputs: cleanup('failed-inputs', 'Whether inputs of failed calls are cleared.'),
  clearMedia: cleanup('media', 'Whether images and documents of old turns are cleared.'),
  clearReasoning: cleanup('reasoning', 'Whether reasoning of old turns is cleared.'),
} satisfies Record<string, Setting>;

/** Guards of a policy, all at once or one by one. */
const guardSettings = {
  guards: createSetting(
    'switch',
    'Switches every guard on or off; single ones override it.',
    (isOn) => ({
      policy: { guards: isOn ? ALL_GUARDS : NO_GUARDS },
    }),
  ),
  rejectLargerSummary: guard(
    'rejectLargerSummary',
    'Rejects a summary that is not smaller than its head.',
  ),
  rejectEmptySummary: guard('rejectEmptySummary', 'Rejects a summary without text.'),
  rejectTruncatedSummary: guard('rejectTruncatedSummary', 'Rejects a summary that was cut off.'),
  rejectToolCallSummary: guard(
    'rejectToolCallSummary',
    'Rejects a summary that looks like a tool call.',
  ),
  maxIneffective: breaker(
    'maxIneffective',
    'Compactions in a row without effect before a stop; 0 means no limit.',
  ),
  maxRefilled: breaker(
    'maxRefilled',
    'Compactions in a row that the next two steps filled up again before a stop; 0 means no limit.',
  ),
  maxFailures: breaker('maxFailures', 'Failed attempts in a row before a stop; 0 means no limit.'),
  ignoreStaleUsage: guard('ignoreStaleUsage', 'Ignores usage from before the newest pivot.'),
  ignoreImplausibleUsage: guard('ignoreImplausibleUsage', 'Ignores usage that cannot be right.'),
  estimateMissingUsage: guard(
    'estimateMissingUsage',
    'Checks an estimate where usage is not reported or not believable.',
  ),
  learnWindow: guard('learnWindow', 'Adopts the window that a refusal names.'),
  stopIrreducible: guard('stopIrreducible', 'Stops when no pivot can get below the limit.'),
  remindMissingHeadings: guard(
    'remindMissingHeadings',
    'Asks once more when a summary has no headings.',
  ),
  shrinkSummaryRequest: guard(
    'shrinkSummaryRequest',
    'Retries with a smaller summary request when one was too large.',
  ),
} satisfies Record<string, Setting>;

/** All settings, by name. */
export const settings = {
  contextTokens: createSetting(
    'tokens',
    "The model's context window; 0 means no limit.",
    (contextTokens) => ({
      limits: { contextTokens },
    }),
  ),
  inputTokens: createSetting(
    'tokens',
    "The model's own cap on input; 0 means none.",
    (inputTokens) => ({
      limits: { inputTokens },
    }),
  ),
  outputTokens: createSetting(
    'tokens',
    "The model's longest answer; 0 means not declared.",
    (outputTokens) => ({
      limits: { outputTokens },
    }),
  ),
  reserved: createSetting(
    'tokens',
    'Kept free below the limit, where a rule has a reserve.',
    (amount) => ({
      policy: { trigger: { reservedTokens: amount } },
    }),
  ),
  outputCap: createSetting('tokens', "The agent's own cap on one answer.", (amount) => ({
    policy: { trigger: { outputCapTokens: amount } },
  })),
  triggerFraction: createSetting(
    'share',
    "Share of the context window that a request may fill, in place of the rule's own limit.",
    (windowShare) => ({ policy: { trigger: { windowShare } } }),
  ),
  auto: createSetting(
    'switch',
    'Whether compactions are queued automatically, not only by a person.',
    (auto) => ({
      policy: { trigger: { auto } },
    }),
  ),
  countNewer: createSetting(
    'switch',
    'Whether a check before each request adds an estimate of what came after the measured step.',
    (isOn) => ({
      policy: { trigger: { countsNewerMessages: isOn, ...(isOn && { beforeRequest: true }) } },
    }),
  ),
  protect: createSetting(
    'tokens',
    'Newest tool output that a prune always keeps.',
    (protectTokens) => ({
      policy: { prune: { byAge: { protectTokens } } },
    }),
  ),
  minimum: createSetting('tokens', 'A prune must save more than this.', (minimumTokens) => ({
    policy: { prune: { byAge: { minimumTokens } } },
  })),
  guardTurns: createSetting('turns', 'Newest turns that a prune never touches.', (guardTurns) => ({
    policy: { prune: { byAge: { guardTurns } } },
  })),
  keepOutputs: createSetting(
    'outputs',
    'Newest tool outputs that a prune keeps, where it keeps a number of them.',
    (count, { prune }) =>
      prune.keepLast ? { policy: { prune: { keepLast: { outputs: count } } } } : {},
  ),
  pause: createSetting(
    'seconds',
    'How long the session must be idle for a prune that waits for a pause.',
    (length, { prune }) =>
      prune.when === 'idle' ? { policy: { prune: { idleMs: length * MS_PER_SECOND } } } : {},
  ),
  prune: createSetting('switch', 'Whether old tool outputs are cleared.', (enabled) => ({
    policy: { prune: { enabled } },
  })),
  ...cleanupSettings,
  evicts: createSetting(
    'name',
    'In which order a prune clears (not how much): clairvoyant, random, largest-first or least-recently-used.',
    toEviction,
  ),
  tailTurns: createSetting(
    'turns',
    'Newest turns that a pivot may keep, where it keeps turns.',
    (count, { cut }) => {
      if (cut.keep === 'last-turns') return { policy: { cut: { ...cut, count } } };
      return cut.keep === 'recent-turns' ? { policy: { cut: { ...cut, turns: count } } } : {};
    },
  ),
  tailTokens: createSetting(
    'tokens',
    'Tokens that the kept turns may have, where a pivot keeps turns; or what stays beside a checkpoint.',
    (amount, { cut }) =>
      cut.keep === 'recent-turns' || cut.keep === 'checkpoint'
        ? { policy: { cut: { ...cut, tokens: amount } } }
        : {},
  ),
  keepMessages: createSetting(
    'messages',
    'Newest messages that stay, where a policy keeps messages.',
    (count, { cut, memory, view }) => ({
      policy: {
        ...(view === 'rolling-window' && { windowMessages: count }),
        ...(keepsMessages(cut) && { cut: { ...cut, count } }),
        ...(memory && { memory: { keepMessages: count } }),
      },
    }),
  ),
  keepTokens: createSetting(
    'tokens',
    'What a pivot keeps, where it keeps text, messages or user messages up to a number of tokens.',
    (amount, { cut }) => (keepsTokens(cut) ? { policy: { cut: { ...cut, tokens: amount } } } : {}),
  ),
  keepShare: createSetting(
    'share',
    'Newest share of the conversation that stays, where a pivot keeps a share.',
    (part, { cut }) =>
      cut.keep === 'last-share' ? { policy: { cut: { ...cut, share: part } } } : {},
  ),
  summaryCap: createSetting('tokens', 'Longest summary allowed.', (amount) => ({
    policy: { summary: { outputCapTokens: amount } },
  })),
  charsPerToken: createSetting(
    'characters',
    'Characters that the policy counts as one token when it estimates.',
    (charsPerToken) => ({ policy: { estimator: { charsPerToken } } }),
  ),
  estimator: createSetting(
    'name',
    'Tokenizer by which the policy estimates in place of characters: o200k_base or cl100k_base.',
    (tokenizer) => {
      findEncoding(tokenizer);
      return { policy: { estimator: { tokenizer } } };
    },
  ),
  roundUp: createSetting(
    'switch',
    'Whether the policy rounds its estimates up instead of to the nearest.',
    (isOn) => ({
      policy: { estimator: { rounding: isOn ? 'ceil' : 'round' } },
    }),
  ),
  ...guardSettings,
  trueContextTokens: createSetting(
    'tokens',
    'The window that the provider really has, where it differs from the declared one.',
    (trueContextTokens) => ({ provider: { trueContextTokens } }),
  ),
  dialect: createSetting(
    'name',
    'How the provider reports usage; see `list dialects`.',
    (dialect) => ({
      provider: { dialect },
    }),
  ),
  cache: createSetting('name', 'What the provider caches; see `list caches`.', (cache) => ({
    provider: { cache },
  })),
  cacheTtl: createSetting('seconds', 'How long a cached prompt lives.', (ttl) => ({
    provider: { cacheTtlMs: ttl * MS_PER_SECOND },
  })),
  refusal: createSetting(
    'name',
    'How the provider refuses requests that are too large; see `list refusals`.',
    (refusal) => ({
      provider: { refusal },
    }),
  ),
} satisfies Record<string, Setting>;

/** The clean-up that each of them switches. */
export const cleanupOf: Readonly<Record<keyof typeof cleanupSettings, CleanupName>> = {
  clearDuplicates: 'duplicates',
  clearSuperseded: 'superseded',
  clearFailedInputs: 'failed-inputs',
  clearMedia: 'media',
  clearReasoning: 'reasoning',
};

const NUMBER = /^(?:\d+|\d*\.\d+)$/;
/** A share as people write it: `70%`, `12.5%`. */
const PER_CENT = /^(\d+(?:\.\d+)?)%$/;
const SWITCHES = new Map([
  ['true', true],
  ['on', true],
  ['false', false],
  ['off', false],
]);

/** Common other names of settings. */
const OTHER_WORDS = new Map([
  ['window', 'contextTokens'],
  ['tail', 'tailTurns'],
]);

/** The target with all these settings in force. */
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
    const [key, text] = splitPair(pair);
    const value = parseSettingValue(key, text);
    if (values.has(key)) throw badOption(`Expected ${quoted(key)} to be set once, got it twice.`);
    values.set(key, value);
  }
  return Object.fromEntries(values);
}

/** The table entry of a setting. Throws `HarnessError` for an unknown name; for a common other name the error gives the right one. */
export function namedSetting<T extends object>(table: T, key: string): T[keyof T] {
  const meant = OTHER_WORDS.get(key);
  if (meant === undefined) return named('setting', table, key);
  throw new HarnessError(
    'UNKNOWN_NAME',
    `Unknown setting ${quoted(key)}. It is called '${meant}'.`,
  );
}

/** The value of a setting as a command line has it: `20000`, `20k`, `1.5M`, `0.9`, `on`, a name. */
export function parseSettingValue(key: string, text: string): SettingValue {
  const setting: Setting = namedSetting(settings, key);
  const value = setting.value.safeParse(toTyped(text, setting));
  if (value.success) return value.data;
  throw badOption(`Expected ${quoted(key)} to be ${setting.expected}, got ${quoted(text)}.`);
}

/** True for a cut that keeps a number of tokens, but not of turns. */
export function keepsTokens(cut: CutPolicy): cut is KeepsTokens {
  return cut.keep === 'user-messages' || (cut.keep !== 'recent-turns' && 'tokens' in cut);
}

/** True for a cut that keeps a number of messages. */
export function keepsMessages(cut: CutPolicy): cut is KeepsMessages {
  return cut.keep !== 'last-turns' && 'count' in cut;
}

/** Newest messages that a view shows in any case and alone; absent of one that does not go by their number. */
export function messagesInWindow({
  view,
  windowMessages = ROLLING_WINDOW_MESSAGES,
}: Pick<Policy, 'view' | 'windowMessages'>): number | undefined {
  return view === 'rolling-window' ? windowMessages : undefined;
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

/**
 * The largest request by declared limits, in tokens: the lesser of context window and input cap; 0 where neither is known. Some rows
 * of models.dev have a cap above the window.
 */
export function windowTokensOf({ contextTokens, inputTokens = 0 }: Limits): number {
  const known = [contextTokens, inputTokens].filter((limit) => limit > 0);
  return known.length === 0 ? 0 : Math.min(...known);
}

function splitPair(pair: string): readonly [string, string] {
  const index = pair.indexOf('=');
  if (index >= 0) return [pair.slice(0, index).trim(), pair.slice(index + 1).trim()];
  throw badOption(`Expected a setting to be KEY=VALUE, got ${quoted(pair)}.`);
}

function toTyped(text: string, { unit }: Setting): unknown {
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
  toChange: ToChange<ValueOf<Name>>,
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

/** Nothing where the policy has no prune. */
function toEviction(name: string, policy: Policy): Change {
  named('eviction order', evictionOrders, name);
  const { prune, breaks } = replaceEviction(policy, name as EvictionName);
  return prune.when === 'never' ? {} : { policy: { prune, breaks } };
}

/** Adds a clean-up with its usual numbers, behind those that a policy has, or takes its own away. */
function cleanup(name: CleanupName, describes: string): Setting {
  return createSetting('switch', describes, (isOn, { prune: { cleanups = [] } }) => {
    const isIn = cleanups.some(({ pass }) => pass === name);
    if (isIn === isOn) return {};
    const changed: readonly CleanupPolicy[] = isOn
      ? [...cleanups, defaultCleanups[name]]
      : cleanups.filter(({ pass }) => pass !== name);
    return { policy: { prune: { cleanups: changed } } };
  });
}

function guard(name: SwitchName, describes: string): Setting {
  return createSetting('switch', describes, (isOn) => ({ policy: { guards: { [name]: isOn } } }));
}

function breaker(name: LimitName, describes: string): Setting {
  return createSetting('times', describes, (limit) => ({ policy: { guards: { [name]: limit } } }));
}
