import {
  type EvictionName,
  evictionOrders,
  type Policy,
  replaceEviction,
} from '../../engine/index.ts';
import { named } from '../names.ts';
import { MS_PER_SECOND } from '../units.ts';
import { cleanupSettings } from './cleanup-settings.ts';
import { guardSettings } from './guard-settings.ts';
import { keepsMessages, keepsTokens } from './kept-number.ts';
import {
  type Change,
  characters,
  choice,
  messages,
  outputs,
  type Setting,
  type SettingTarget,
  seconds,
  share,
  type SettingValue,
  toggle,
  tokens,
  turns,
} from './setting.ts';

/** Settings in force, by name. */
export type SettingValues = Readonly<Partial<Record<SettingName, SettingValue>>>;

/** Everything that can be set, by name. */
export const settings = {
  contextTokens: tokens("The model's context window; 0 means no limit.", (contextTokens) => ({
    limits: { contextTokens },
  })),
  inputTokens: tokens("The model's own cap on input; 0 means none.", (inputTokens) => ({
    limits: { inputTokens },
  })),
  outputTokens: tokens("The model's longest answer; 0 means not declared.", (outputTokens) => ({
    limits: { outputTokens },
  })),
  reserved: tokens('Kept free below the limit, where a rule has a reserve.', (amount) => ({
    policy: { trigger: { reservedTokens: amount } },
  })),
  outputCap: tokens("The agent's own cap on one answer.", (amount) => ({
    policy: { trigger: { outputCapTokens: amount } },
  })),
  triggerFraction: share(
    "Share of the context window that a request may fill, in place of the rule's own limit.",
    (windowShare) => ({ policy: { trigger: { windowShare } } }),
  ),
  auto: toggle('Whether compactions are queued automatically, not only by a person.', (auto) => ({
    policy: { trigger: { auto } },
  })),
  countNewer: toggle(
    'Whether a check before each request adds an estimate of what came after the measured step.',
    (isOn) => ({
      policy: { trigger: { countsNewerMessages: isOn, ...(isOn && { beforeRequest: true }) } },
    }),
  ),
  protect: tokens('Newest tool output that a prune always keeps.', (protectTokens) => ({
    policy: { prune: { byAge: { protectTokens } } },
  })),
  minimum: tokens('A prune must save more than this.', (minimumTokens) => ({
    policy: { prune: { byAge: { minimumTokens } } },
  })),
  guardTurns: turns('Newest turns that a prune never touches.', (guardTurns) => ({
    policy: { prune: { byAge: { guardTurns } } },
  })),
  keepOutputs: outputs(
    'Newest tool outputs that a prune keeps, where it keeps a number of them.',
    (count, { prune }) =>
      prune.keepLast ? { policy: { prune: { keepLast: { outputs: count } } } } : {},
  ),
  pause: seconds(
    'How long the session must be idle for a prune that waits for a pause.',
    (length, { prune }) =>
      prune.when === 'idle' ? { policy: { prune: { idleMs: length * MS_PER_SECOND } } } : {},
  ),
  prune: toggle('Whether old tool outputs are cleared.', (enabled) => ({
    policy: { prune: { enabled } },
  })),
  ...cleanupSettings,
  evicts: choice(
    'In which order a prune clears (not how much): clairvoyant, random, largest-first or least-recently-used.',
    toEviction,
  ),
  tailTurns: turns(
    'Newest turns that a pivot may keep, where it keeps turns.',
    (count, { cut }) => {
      if (cut.keep === 'last-turns') return { policy: { cut: { ...cut, count } } };
      return cut.keep === 'recent-turns' ? { policy: { cut: { ...cut, turns: count } } } : {};
    },
  ),
  tailTokens: tokens(
    'Tokens that the kept turns may have, where a pivot keeps turns; or what stays beside a checkpoint.',
    (amount, { cut }) =>
      cut.keep === 'recent-turns' || cut.keep === 'checkpoint'
        ? { policy: { cut: { ...cut, tokens: amount } } }
        : {},
  ),
  keepMessages: messages(
    'Newest messages that stay, where a policy keeps messages.',
    (count, { cut, memory, view }) => ({
      policy: {
        ...(view === 'rolling-window' && { windowMessages: count }),
        ...(keepsMessages(cut) && { cut: { ...cut, count } }),
        ...(memory && { memory: { keepMessages: count } }),
      },
    }),
  ),
  keepTokens: tokens(
    'What a pivot keeps, where it keeps text, messages or user messages up to a number of tokens.',
    (amount, { cut }) => (keepsTokens(cut) ? { policy: { cut: { ...cut, tokens: amount } } } : {}),
  ),
  keepShare: share(
    'Newest share of the conversation that stays, where a pivot keeps a share.',
    (part, { cut }) =>
      cut.keep === 'last-share' ? { policy: { cut: { ...cut, share: part } } } : {},
  ),
  summaryCap: tokens('Longest summary allowed.', (amount) => ({
    policy: { summary: { outputCapTokens: amount } },
  })),
  charsPerToken: characters(
    'Characters that the policy counts as one token when it estimates.',
    (charsPerToken) => ({ policy: { estimator: { charsPerToken } } }),
  ),
  roundUp: toggle(
    'Whether the policy rounds its estimates up instead of to the nearest.',
    (isOn) => ({
      policy: { estimator: { rounding: isOn ? 'ceil' : 'round' } },
    }),
  ),
  ...guardSettings,
  trueContextTokens: tokens(
    'The window that the provider really has, where it differs from the declared one.',
    (trueContextTokens) => ({ provider: { trueContextTokens } }),
  ),
  dialect: choice('How the provider reports usage; see `list dialects`.', (dialect) => ({
    provider: { dialect },
  })),
  cache: choice('What the provider caches; see `list caches`.', (cache) => ({
    provider: { cache },
  })),
  cacheTtl: seconds('How long a cached prompt lives.', (ttl) => ({
    provider: { cacheTtlMs: ttl * MS_PER_SECOND },
  })),
  refusal: choice(
    'How the provider refuses requests that are too large; see `list refusals`.',
    (refusal) => ({
      provider: { refusal },
    }),
  ),
} satisfies Record<string, Setting>;

/** The name of a setting. */
export type SettingName = keyof typeof settings;

/** The target with all these settings in force. */
export function applySettings(target: SettingTarget, values: SettingValues): SettingTarget {
  return Object.entries(settings).reduce<SettingTarget>((changed, [name, setting]) => {
    const value = values[name as SettingName];
    return value === undefined ? changed : setting.apply(changed, value);
  }, target);
}

/** Nothing where the policy has no prune. */
function toEviction(name: string, policy: Policy): Change {
  named('eviction order', evictionOrders, name);
  const { prune, breaks } = replaceEviction(policy, name as EvictionName);
  return prune.when === 'never' ? {} : { policy: { prune, breaks } };
}
