import type { PolicyName } from '../../engine/index.ts';
import type { FormatName } from '../session/formats.ts';
import type { Session } from '../session/session.ts';
import type { SettingValues } from './settings.ts';

/** The behaviour of an agent in a release. */
export interface ReleasePreset {
  readonly preset: PolicyName;
  /** Settings by which the release differs from its preset. */
  readonly settings?: SettingValues;
}

/** The same from a release on. */
interface AgentRelease extends ReleasePreset {
  /** The first release, as numbers; absent where the preset stands for all. */
  readonly since?: readonly number[];
}

/**
 * 200,000 − 20,000 − 25,000 are the 155,000 tokens at which recordings of 2.1.5 to 2.1.17 compact, by the newest usage alone. None of
 * them clears when idle.
 */
const EARLY_CLAUDE_CODE: SettingValues = { reserved: 25_000, countNewer: false, prune: false };

const CLAUDE_CODE: readonly AgentRelease[] = [
  { preset: 'claude-code', since: [2, 1, 36] },
  { preset: 'claude-code', since: [0], settings: EARLY_CLAUDE_CODE },
];

const OPENCODE: readonly AgentRelease[] = [
  { preset: 'opencode-2.0', since: [2, 0, 0] },
  { preset: 'opencode-1.18', since: [1, 17, 15] },
  { preset: 'opencode-1.16', since: [1, 16, 0] },
  { preset: 'opencode-1.15', since: [1, 14, 51] },
  { preset: 'opencode-1.14.40', since: [1, 14, 40] },
  { preset: 'opencode-1.14.21', since: [1, 14, 21] },
  { preset: 'opencode-1.14.19', since: [1, 14, 19] },
  { preset: 'opencode-1.2.16', since: [1, 2, 0] },
  { preset: 'opencode-1.1.57', since: [1, 1, 57] },
  { preset: 'opencode-1.1.23', since: [1, 1, 23] },
  { preset: 'opencode-1.0.224', since: [1, 0, 0] },
  { preset: 'opencode-0.8', since: [0] },
];

/** Agents by name, the newest release of each first. */
const AGENTS = {
  'claude-code': CLAUDE_CODE,
  opencode: OPENCODE,
  codex: [{ preset: 'codex-local' }],
  'gemini-cli': [{ preset: 'gemini-cli' }],
  pi: [{ preset: 'pi-1.6', since: [0, 84, 4] }, { preset: 'pi' }],
  'qwen-code': [
    { preset: 'qwen-code', since: [0, 21, 0] },
    { preset: 'qwen-code-0.15', since: [0, 15, 0] },
    { preset: 'qwen-code-0.12' },
  ],
  'kimi-cli': [{ preset: 'kimi-cli' }],
  crush: [{ preset: 'crush' }],
  goose: [{ preset: 'goose' }],
} satisfies Record<string, readonly AgentRelease[]>;

const RECORDING: { readonly [Name in FormatName]?: keyof typeof AGENTS } = {
  'claude-code': 'claude-code',
  'claude-agent-sdk': 'claude-code',
  'opencode-export': 'opencode',
  'opencode-share': 'opencode',
  'opencode-events': 'opencode',
  'opencode-storage': 'opencode',
  'opencode-database': 'opencode',
  codex: 'codex',
  'gemini-cli': 'gemini-cli',
  pi: 'pi',
};

const RELEASE_NAME = /^(?<agent>.+?)(?:-v?(?<release>\d+(?:\.\d+)*))?$/;

/** The behaviour of an agent, by its name alone or with any release: `opencode`, `opencode-1.18.14`. */
export function findRelease(name: string): ReleasePreset | undefined {
  const { agent = '', release } = RELEASE_NAME.exec(name)?.groups ?? {};
  return presetOf(agent, release?.split('.').map(Number));
}

/** The preset of the agent that recorded a session, in its release: the newest where that is unknown, `undefined` for other agents. */
export function recordingRelease({
  format,
  release,
}: Pick<Session, 'format' | 'release'>): ReleasePreset | undefined {
  const agent = Object.entries(RECORDING).find(([name]) => name === format)?.[1];
  return agent && presetOf(agent, release);
}

function presetOf(agent: string, release?: readonly number[]): ReleasePreset | undefined {
  const agents: Readonly<Record<string, readonly AgentRelease[]>> = AGENTS;
  const releases = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  return releases?.find(({ since }) => !release || !since || isFrom(release, since));
}

/** Tests if a release is not older than another. */
function isFrom(release: readonly number[], since: readonly number[]): boolean {
  const differing = since.findIndex((number, index) => number !== (release[index] ?? 0));
  return differing === -1 || (release[differing] ?? 0) > (since[differing] ?? 0);
}
