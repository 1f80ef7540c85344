import { type Policy, policies, type PolicyName } from '../../engine/index.ts';
import type { FormatName } from '../session/formats.ts';
import type { Session } from '../session/session.ts';
import { applySettings, type SettingValues } from './settings.ts';

/** The policy that stands for an agent. */
interface RecordingPreset {
  readonly policy: Policy;
  /** The preset's name, and the settings that differ from it. */
  readonly label: string;
}

/** The policy of an agent from a release on. */
interface AgentRelease {
  readonly preset: PolicyName;
  /** The first release, as numbers; absent where the preset stands for all. */
  readonly since?: readonly number[];
  /** Settings by which the release differs from its preset. */
  readonly settings?: SettingValues;
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

/** Agents by the formats that they record, the newest release first. */
const AGENTS: { readonly [Name in FormatName]?: readonly AgentRelease[] } = {
  'claude-code': CLAUDE_CODE,
  'claude-agent-sdk': CLAUDE_CODE,
  'opencode-export': OPENCODE,
  'opencode-share': OPENCODE,
  'opencode-events': OPENCODE,
  'opencode-storage': OPENCODE,
  'opencode-database': OPENCODE,
  codex: [{ preset: 'codex-local' }],
  'gemini-cli': [{ preset: 'gemini-cli' }],
  pi: [{ preset: 'pi' }],
};

/** The preset of the agent that recorded a session, in its release: the newest where that is unknown, `undefined` for other agents. */
export function recordingPreset({
  format,
  release,
}: Pick<Session, 'format' | 'release'>): RecordingPreset | undefined {
  const releases = Object.entries(AGENTS).find(([name]) => name === format)?.[1];
  const found = releases?.find(({ since }) => !release || !since || isFrom(release, since));
  if (found === undefined) return undefined;
  const { preset, settings = {} } = found;
  const target = { policy: policies[preset], limits: { contextTokens: 0 } };
  const told = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  return {
    policy: applySettings(target, settings).policy,
    label: told.length === 0 ? preset : `${preset} with ${told.join(', ')}`,
  };
}

/** Tests if a release is not older than another. */
function isFrom(release: readonly number[], since: readonly number[]): boolean {
  const differing = since.findIndex((number, index) => number !== (release[index] ?? 0));
  return differing === -1 || (release[differing] ?? 0) > (since[differing] ?? 0);
}
