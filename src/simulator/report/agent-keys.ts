import { groupBy } from '../lib/collections.ts';
import {
  CLAUDE_BUFFER_TOKENS,
  CLAUDE_PERCENT,
  CLAUDE_WINDOW,
  claudeReads,
  LEAST_CLAUDE_WINDOW,
  newestClaimOf,
  QWEN_THRESHOLD_FROM,
} from '../scenario/agent-config.ts';
import { compareReleases } from '../scenario/recording-agents.ts';
import type { NamedSettings, TuneReport } from './tune-report.ts';

/** Configuration by which settings hold from now on. */
export interface ConfigChange {
  /** Texts to be pasted unchanged, each with its place. */
  readonly written: readonly { readonly where: string; readonly text: string }[];
  /** Settings that the agent reads no key for, as they are given to this program. */
  readonly set: readonly string[];
}

/** The threshold of a policy in the window in force today, from which keys for another one are worked out; none lies above it. */
export type TriggerToday = TuneReport['trigger'];

/** A value in a JSON file, at a path of keys; or a line elsewhere. */
type Key = JsonKey | { readonly where: string; readonly line: string };

interface JsonKey {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The key of a setting's value; `undefined` where the agent has none that reaches it. */
type ToKey = (value: unknown, today: TriggerToday) => Key | undefined;

/** Files and keys of an agent. */
interface Agent {
  readonly name: RegExp;
  readonly title: string;
  /** The JSON file of its keys; absent where they stand elsewhere. */
  readonly file?: string;
  readonly keys: (
    release: Release,
    policy: string,
    inUse?: readonly number[],
  ) => Readonly<Record<string, ToKey>>;
}

/** Major, minor and patch of a release. */
type Release = readonly [major: number, minor: number, patch: number];

const INDENT = 2;
const PERCENT = 100;
const FIRST_OF_2 = 2;
const RELEASE = /-(\d+)\.(\d+)(?:\.(\d+))?$/;
/** Documents describe OpenCode before 2.0, but no release exactly. */
const ANY_BEFORE_2: Release = [1, Infinity, Infinity];

/** Keys below `compaction` by setting, of the releases before 2.0, with the first that reads them. Source: OpenCode release history. */
const OPENCODE_KEYS: Readonly<Record<string, { readonly key: string; readonly since: Release }>> = {
  auto: { key: 'auto', since: [1, 0, 204] },
  prune: { key: 'prune', since: [1, 0, 204] },
  reserved: { key: 'reserved', since: [1, 1, 57] },
  tailTurns: { key: 'tail_turns', since: [1, 14, 19] },
  tailTokens: { key: 'preserve_recent_tokens', since: [1, 14, 19] },
};

/** Agents with the keys that they read. Sources: OpenCode release history; peer policies, sections 4, 6, 7 and 10; pi's documentation of its settings. */
const AGENTS: readonly Agent[] = [
  {
    name: /^(?:opencode-|document-00)/,
    title: 'OpenCode',
    file: 'opencode.json',
    keys: (release) => (release[0] >= FIRST_OF_2 ? keysOf2() : keysBefore2(release)),
  },
  {
    name: /^claude-code(?:-|$)/,
    title: 'Claude Code',
    keys: (_, policy, inUse) => ({
      triggerFraction: claudeReads(policy, inUse).window ? toClaudeWindow : toClaudePercent,
    }),
  },
  {
    name: /^qwen-code(?:-0\.\d+)?$/,
    title: 'Qwen Code',
    file: '.qwen/settings.json',
    keys: (_, policy, inUse) => {
      const release = inUse ?? newestClaimOf(policy);
      const isNew = release === undefined || compareReleases(release, QWEN_THRESHOLD_FROM) >= 0;
      return {
        triggerFraction: isNew
          ? at('context', 'autoCompactThreshold')
          : at('model', 'chatCompression', 'contextPercentageThreshold'),
      };
    },
  },
  {
    name: /^gemini-cli(?:-0\.\d+)?$/,
    title: 'Gemini CLI',
    file: '.gemini/settings.json',
    keys: () => ({ triggerFraction: at('model', 'compressionThreshold') }),
  },
  {
    name: /^goose$/,
    title: 'Goose',
    keys: () => ({
      triggerFraction: (share) => toVariable(`GOOSE_AUTO_COMPACT_THRESHOLD=${String(share)}`),
    }),
  },
  {
    name: /^pi(?:-1\.6)?$/,
    title: 'pi',
    file: '.pi/agent/settings.json',
    keys: () => ({
      auto: at('compaction', 'enabled'),
      reserved: at('compaction', 'reserveTokens'),
      keepTokens: at('compaction', 'keepRecentTokens'),
      triggerFraction: (share, today) =>
        at('compaction', 'reserveTokens')(today.contextTokens - tokensAt(share, today), today),
    }),
  },
  {
    name: /^codex-(?:local(?:-0\.\d+)?|remote)$/,
    title: 'Codex',
    keys: () => ({ triggerFraction: toCodexLimit }),
  },
];

/** Tests if the agent of a policy has a key that a setting is read from, at one value or another. */
export function readsSetting(policy: string, setting: string): boolean {
  const found = agentOf(policy);
  return found !== undefined && Object.hasOwn(keysOf(found), setting);
}

/** The configuration by which some settings hold under a policy, in the release in use; by default the newest that it claims. */
export function toConfigChange(
  policy: string,
  settings: NamedSettings,
  today: TriggerToday,
): ConfigChange {
  const found = agentOf(policy, today.release);
  const keys = found === undefined ? {} : keysOf(found);
  const set: string[] = [];
  const written: Key[] = [];
  for (const [name, value] of Object.entries(settings)) {
    const key = Object.hasOwn(keys, name) ? keys[name]?.(value, today) : undefined;
    if (key === undefined) set.push(`${name}=${value}`);
    else written.push(key);
  }
  return { written: toTexts(written, found?.agent.file ?? ''), set };
}

/** The agent of a policy by its name for people; absent of one that nobody ships. */
export function agentTitleOf(policy: string): string | undefined {
  return agentOf(policy)?.agent.title;
}

/** The agent that a policy is of, whatever settings stand behind its name. */
function agentOf(policyName: string, inUse?: readonly number[]) {
  const [policy = ''] = policyName.split(' ', 1);
  const agent = AGENTS.find(({ name }) => name.test(policy));
  if (agent === undefined) return undefined;
  const [, major, minor, patch = 0] = RELEASE.exec(policy) ?? [];
  const release: Release =
    major === undefined || policy.startsWith('document-')
      ? ANY_BEFORE_2
      : [Number(major), Number(minor), Number(patch)];
  return { agent, release, policy, inUse };
}

function keysOf({ agent, release, policy, inUse }: NonNullable<ReturnType<typeof agentOf>>) {
  return agent.keys(release, policy, inUse);
}

function keysBefore2(release: Release): Readonly<Record<string, ToKey>> {
  const known = Object.entries(OPENCODE_KEYS).filter(([, { since }]) => !isBefore(release, since));
  const own = Object.fromEntries(known.map(([name, { key }]) => [name, at('compaction', key)]));
  return { ...own, triggerFraction: toOpencodeTrigger(own['reserved'] !== undefined) };
}

function keysOf2(): Readonly<Record<string, ToKey>> {
  return {
    auto: at('compaction', 'auto'),
    reserved: at('compaction', 'buffer'),
    keepTokens: at('compaction', 'keep', 'tokens'),
    triggerFraction: (share, today) =>
      isEarlier(share, today)
        ? at('compaction', 'buffer')(today.contextTokens - tokensAt(share, today), today)
        : undefined,
  };
}

/** Without a cap on input the model's window moves the threshold, with one the reserve below it does. */
function toOpencodeTrigger(hasReserve: boolean): ToKey {
  return (share, today) => {
    const { model, contextTokens, inputTokens, outputTokens, usableTokens } = today;
    if (usableTokens === null) return undefined;
    if (inputTokens) {
      const reserved = inputTokens - tokensAt(share, today);
      const key = at('compaction', 'reserved');
      return hasReserve && reserved >= 0 ? key(reserved, today) : undefined;
    }
    // A limit without its output is refused.
    if (!outputTokens) return undefined;
    const [provider = '', ...rest] = model.split('/');
    const context = contextTokens - usableTokens + tokensAt(share, today);
    if (context > contextTokens) return undefined;
    const path = ['provider', provider, 'models', rest.join('/'), 'limit'];
    return { path, value: { context, output: outputTokens } };
  };
}

/** Claude Code compacts so far below the window that is given as below the model's own; never above that. */
function toClaudeWindow(share: unknown, today: TriggerToday): Key | undefined {
  const { contextTokens, usableTokens } = today;
  if (usableTokens === null || !isEarlier(share, today)) return undefined;
  const value = contextTokens - usableTokens + tokensAt(share, today);
  if (value < LEAST_CLAUDE_WINDOW) return undefined;
  return toVariable(`${CLAUDE_WINDOW}=${value}`);
}

/** Older releases take a share of what an answer leaves, in whole percent; never a later one than their own. */
function toClaudePercent(share: unknown, today: TriggerToday): Key | undefined {
  if (today.usableTokens === null || !isEarlier(share, today)) return undefined;
  const percent = (PERCENT * tokensAt(share, today)) / (today.usableTokens + CLAUDE_BUFFER_TOKENS);
  return percent < 1 ? undefined : toVariable(`${CLAUDE_PERCENT}=${Math.floor(percent)}`);
}

/** Codex takes the smaller of its own limit and the one that is given. */
function toCodexLimit(share: unknown, today: TriggerToday): Key | undefined {
  if (!isEarlier(share, today)) return undefined;
  const line = `model_auto_compact_token_limit = ${tokensAt(share, today)}`;
  return { where: '.codex/config.toml:', line };
}

function toVariable(line: string): Key {
  return { where: 'Environment:', line };
}

function tokensAt(share: unknown, { contextTokens }: TriggerToday): number {
  return Math.round(Number(share) * contextTokens);
}

function isEarlier(share: unknown, today: TriggerToday): boolean {
  return today.usableTokens !== null && tokensAt(share, today) < today.usableTokens;
}

function at(...path: readonly string[]): ToKey {
  return (value) => ({ path, value });
}

function isBefore(release: Release, since: Release): boolean {
  const place = release.findIndex((number, index) => number !== since[index]);
  return place !== -1 && (release[place] ?? 0) < (since[place] ?? 0);
}

function toTexts(keys: readonly Key[], file = ''): ConfigChange['written'] {
  const inFile = keys.flatMap((key) => ('path' in key ? [key] : []));
  const lines = keys.flatMap((key) =>
    'line' in key ? [{ where: key.where, text: key.line }] : [],
  );
  const json = { where: `${file}:`, text: JSON.stringify(nest(inFile), null, INDENT) };
  return [...(inFile.length > 0 ? [json] : []), ...lines];
}

/** One object with every value at its path. */
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
