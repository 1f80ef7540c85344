import { groupBy } from '../lib/collections.ts';
import {
  CLAUDE_BUFFER_TOKENS,
  CLAUDE_PERCENT,
  CLAUDE_WINDOW,
  claudeReads,
  CODEX_LIMIT,
  GEMINI_KEYS,
  type KeyPaths,
  LEAST_CLAUDE_WINDOW,
  PI_KEYS,
  qwenKeys,
} from '../scenario/agent-config.ts';
import { OPENCODE_KEYS } from '../scenario/opencode-config.ts';
import { compareReleases } from '../scenario/recording-agents.ts';
import type { NamedSettings, TuneReport } from './tune-report.ts';

export interface ConfigChange {
  readonly written: readonly { readonly where: string; readonly text: string }[];
  readonly set: readonly string[];
}

/** The threshold of a policy in the window in force today; none lies above it. */
type TriggerToday = TuneReport['trigger'];

type Key = JsonKey | { readonly where: string; readonly line: string };

interface JsonKey {
  readonly path: readonly string[];
  readonly value: unknown;
}

interface AgentKeys {
  readonly paths?: KeyPaths;
  readonly trigger?: (share: number, today: TriggerToday) => Key | undefined;
}

interface Agent {
  readonly presets: RegExp;
  readonly title: string;
  readonly file?: string;
  readonly keys: (policy: string, inUse?: readonly number[]) => AgentKeys;
}

/** Documents describe OpenCode before 2.0, but no release exactly. */
const ANY_BEFORE_2 = [1, Infinity];

/** Agents with the keys that they read. Sources: OpenCode release history; peer policies, sections 4, 6, 7 and 10; documentation of pi; runs of Kilo and Kimi Code. */
const AGENTS: readonly Agent[] = [
  {
    presets: /^(?:opencode-|document-00)/,
    title: 'OpenCode',
    file: 'opencode.json',
    keys: opencodeKeys,
  },
  {
    presets: /^claude-code(?:-|$)/,
    title: 'Claude Code',
    keys: (policy, inUse) => ({
      trigger: claudeReads(policy, inUse).window ? toClaudeWindow : toClaudePercent,
    }),
  },
  {
    presets: /^qwen-code(?:-|$)/,
    title: 'Qwen Code',
    file: '.qwen/settings.json',
    keys: (policy, inUse) => ({ paths: qwenKeys(policy, inUse) }),
  },
  {
    presets: /^gemini-cli(?:-|$)/,
    title: 'Gemini CLI',
    file: '.gemini/settings.json',
    keys: () => ({ paths: GEMINI_KEYS }),
  },
  {
    presets: /^goose$/,
    title: 'Goose',
    keys: () => ({ trigger: (share) => toVariable(`GOOSE_AUTO_COMPACT_THRESHOLD=${share}`) }),
  },
  {
    presets: /^pi(?:-|$)/,
    title: 'pi',
    file: '.pi/agent/settings.json',
    keys: () => ({
      paths: PI_KEYS,
      trigger: (share, today) => ({ path: PI_KEYS.reserved, value: tokensAbove(share, today) }),
    }),
  },
  { presets: /^codex-/, title: 'Codex', keys: () => ({ trigger: toCodexLimit }) },
  { presets: /^kimi-code(?:-|$)/, title: 'Kimi Code', keys: () => ({ trigger: toKimiReserve }) },
  { presets: /^kilo(?:-|$)/, title: 'Kilo', file: 'kilo.json', keys: opencodeKeys },
];

export function readsSetting(policy: string, setting: string) {
  const { paths = {}, trigger } = keysOf(policy);
  const name = setting === 'triggerTokens' ? 'triggerFraction' : setting;
  return Object.hasOwn(paths, name) || (name === 'triggerFraction' && trigger !== undefined);
}

/** The configuration by which settings hold, in the release in use or the newest. */
export function toConfigChange(
  policy: string,
  settings: NamedSettings,
  today: TriggerToday,
): ConfigChange {
  const { paths, trigger } = keysOf(policy, today.release);
  const set: string[] = [];
  const keys: Key[] = [];
  for (const [given, asked] of Object.entries(settings)) {
    const isAmount = given === 'triggerTokens';
    const name = isAmount ? 'triggerFraction' : given;
    const value = isAmount ? Number(asked) / today.contextTokens : asked;
    const [, path] = Object.entries(paths ?? {}).find(([own]) => own === name) ?? [];
    const isTrigger = name === 'triggerFraction' && trigger !== undefined;
    const key = isTrigger ? trigger(Number(value), today) : path && { path, value };
    if (key === undefined) set.push(`${given}=${asked}`);
    else keys.push(key);
  }
  const inFile = keys.filter((key) => 'path' in key);
  const text = JSON.stringify(nest(inFile), null, 2);
  const written = keys.flatMap((key) =>
    'line' in key ? [{ where: key.where, text: key.line }] : [],
  );
  if (inFile.length > 0) written.unshift({ where: `${agentOf(policy)?.file ?? ''}:`, text });
  return { written, set };
}

/** Keys that a user can write in the release in use or the newest, by file: `compaction.enabled in .pi/agent/settings.json`. */
export function describeKeys(policy: string, today: TriggerToday): readonly string[] {
  const { paths = {}, trigger } = keysOf(policy, today.release);
  // The trigger has a key where it can be set just before today's.
  const earlier = ((today.usableTokens ?? 0) - 1) / today.contextTokens;
  const triggerKey = today.usableTokens === null ? undefined : trigger?.(earlier, today);
  const inFile = Object.values(paths).map((path) => ({ path, value: null }));
  const keys = [...(triggerKey ? [triggerKey] : []), ...inFile].map((key) =>
    'path' in key
      ? { name: key.path.join('.'), where: agentOf(policy)?.file ?? '' }
      : { name: key.line.replace(/ ?=.*/, ''), where: key.where.replace(/:$/, '') },
  );
  return [...groupBy(keys, ({ where }) => where)].map(([where, own]) => {
    const names = new Set(own.map(({ name }) => name));
    return `${[...names].join(', ')} in ${where === 'Environment' ? 'the environment' : where}`;
  });
}

export function agentTitleOf(policy: string) {
  return agentOf(policy)?.title;
}

function agentOf(policy: string): Agent | undefined {
  return AGENTS.find(({ presets }) => presets.test(presetIn(policy)));
}

function keysOf(policy: string, inUse?: readonly number[]): AgentKeys {
  return agentOf(policy)?.keys(presetIn(policy), inUse) ?? {};
}

function presetIn(policy: string) {
  return policy.split(' ', 1).join('');
}

function opencodeKeys(policy: string): AgentKeys {
  const [, named] = /^opencode-(\d+(?:\.\d+)+)$/.exec(policy) ?? [];
  const release = named?.split('.').map(Number) ?? ANY_BEFORE_2;
  const isRead = ({ from, before }: (typeof OPENCODE_KEYS)[number]) =>
    compareReleases(release, from) >= 0 && (!before || compareReleases(release, before) < 0);
  const paths: KeyPaths = Object.fromEntries(
    OPENCODE_KEYS.filter(isRead).map(({ setting, path }) => [setting, ['compaction', ...path]]),
  );
  return { paths, trigger: (share, today) => toOpencodeTrigger(share, today, paths) };
}

/** Without a cap on input the window moves the threshold, else the reserve; from 2.0 on the reserve alone. */
function toOpencodeTrigger(share: number, today: TriggerToday, { reserved: path }: KeyPaths) {
  const { model, contextTokens, inputTokens, outputTokens, usableTokens } = today;
  if (path?.at(-1) === 'buffer')
    return isEarlier(share, today) ? { path, value: tokensAbove(share, today) } : undefined;
  if (usableTokens === null) return undefined;
  if (inputTokens) {
    const value = inputTokens - tokensAt(share, today);
    return path && value >= 0 ? { path, value } : undefined;
  }
  const context = contextTokens - usableTokens + tokensAt(share, today);
  // A limit without its output is refused.
  if (!outputTokens || context > contextTokens) return undefined;
  const [provider = '', ...rest] = model.split('/');
  const limit = ['provider', provider, 'models', rest.join('/'), 'limit'];
  return { path: limit, value: { context, output: outputTokens } };
}

/** Claude Code compacts so far below the window that is given as below the model's own; never above that. */
function toClaudeWindow(share: number, today: TriggerToday): Key | undefined {
  const { contextTokens, usableTokens } = today;
  if (usableTokens === null || !isEarlier(share, today)) return undefined;
  const value = contextTokens - usableTokens + tokensAt(share, today);
  return value < LEAST_CLAUDE_WINDOW ? undefined : toVariable(`${CLAUDE_WINDOW}=${value}`);
}

/** Older releases take a share of what an answer leaves, in whole percent; never a later one than their own. */
function toClaudePercent(share: number, today: TriggerToday): Key | undefined {
  if (today.usableTokens === null || !isEarlier(share, today)) return undefined;
  const percent = (100 * tokensAt(share, today)) / (today.usableTokens + CLAUDE_BUFFER_TOKENS);
  return percent < 1 ? undefined : toVariable(`${CLAUDE_PERCENT}=${Math.floor(percent)}`);
}

function toCodexLimit(share: number, today: TriggerToday): Key | undefined {
  if (!isEarlier(share, today)) return undefined;
  return { where: '.codex/config.toml:', line: `${CODEX_LIMIT} = ${tokensAt(share, today)}` };
}

/** Kimi Code compacts at its share all the same where that comes first. */
function toKimiReserve(share: number, today: TriggerToday): Key | undefined {
  const line = `loop_control.reserved_context_size = ${tokensAbove(share, today)}`;
  return isEarlier(share, today) ? { where: '.kimi-code/config.toml:', line } : undefined;
}

function toVariable(line: string): Key {
  return { where: 'Environment:', line };
}

function tokensAt(share: number, { contextTokens }: TriggerToday) {
  return Math.round(share * contextTokens);
}

function tokensAbove(share: number, today: TriggerToday) {
  return today.contextTokens - tokensAt(share, today);
}

function isEarlier(share: number, today: TriggerToday) {
  return today.usableTokens !== null && tokensAt(share, today) < today.usableTokens;
}

function nest(keys: readonly JsonKey[]): unknown {
  const [first] = keys;
  if (first?.path.length === 0) return first.value;
  const groups = groupBy(keys, ({ path }) => path[0]);
  const entries = [...groups].map(([name, own]) => {
    const inner = own.map(({ path, value }) => ({ path: path.slice(1), value }));
    return [name, nest(inner)] as const;
  });
  return Object.fromEntries(entries);
}
