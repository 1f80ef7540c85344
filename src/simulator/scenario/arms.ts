import { type Limits, policies, type Policy, type PolicyName } from '../../engine/index.ts';
import { badOption } from '../lib/errors.ts';
import { contentHash } from '../lib/json.ts';
import { quoted, unknownName } from '../lib/names.ts';
import type { Session } from '../session/session.ts';
import { claimOfRecording, compareReleases, findRelease } from './recording-agents.ts';
import {
  applySettings,
  type OwnSummaries,
  parseSettings,
  settings as table,
  type SettingName,
  type SettingValues,
  withSummaries,
} from './settings.ts';

export interface Arm {
  readonly preset: PolicyName;
  /** Under the name of the arm, such as `opencode-1.18 triggerFraction=0.7`; no setting is in force. */
  readonly policy: Policy;
  /** They win over those that all arms share. */
  readonly settings: SettingValues;
}

/** No model has a window below nothing, so that each setting of a model changes these limits. */
const NO_LIMITS: Limits = { contextTokens: -1, inputTokens: -1, outputTokens: -1 };

/** An arm by its text: a preset or a released agent, and settings behind it. */
export function parseArm(text: string): Arm {
  const [name = '', ...pairs] = text.trim().split(/\s+/);
  const given = parseSettings(pairs);
  const preset = findPreset(name);
  if (preset === undefined) throw unknownName('policy', policies, name);
  checkOwn(text, preset, given);
  return toArm(preset, given);
}

export function isArm(text: string) {
  return findPreset(text.trim().split(/\s+/, 1).join('')) !== undefined;
}

/** The arm of the agent that recorded a session; `undefined` where there is none. */
export function recordingArm(session: Pick<Session, 'format' | 'release'>): Arm | undefined {
  const claim = claimOfRecording(session);
  return claim && toArm(claim.preset);
}

export function newestRecordingArm(
  sessions: readonly Pick<Session, 'format' | 'release'>[],
): Arm | undefined {
  const known = sessions.filter((session) => recordingArm(session) !== undefined);
  const [newest = known[0]] = known
    .filter(({ release }) => release !== undefined)
    .toSorted((one, other) => compareReleases(other.release ?? [], one.release ?? []));
  return newest && recordingArm(newest);
}

export function settleArm(
  { policy, settings }: Arm,
  {
    limits,
    shared,
    ...own
  }: OwnSummaries & { readonly limits: Limits; readonly shared?: SettingValues },
) {
  const target = { policy: withSummaries(policy, own), limits };
  return applySettings(target, { ...shared, ...settings }).policy;
}

function findPreset(name: string) {
  return Object.hasOwn(policies, name) ? (name as PolicyName) : findRelease(name);
}

function toArm(preset: PolicyName, settings: SettingValues = {}) {
  // In the order of their table.
  const own = Object.keys(table).flatMap((name) => {
    const value = settings[name as SettingName];
    return value === undefined ? [] : [[name, value] as const];
  });
  const name = [preset, ...own.map(([key, value]) => `${key}=${value}`)].join(' ');
  return { preset, policy: { ...policies[preset], name }, settings: Object.fromEntries(own) };
}

function checkOwn(text: string, preset: PolicyName, settings: SettingValues) {
  const names = Object.keys(settings);
  if (names.length > 0 && preset === policies.none.name) {
    throw badOption(
      `Expected '${preset}' without settings, got ${quoted(text)}: it never compacts.`,
    );
  }
  const shared = names.find((name) => isOfModel(name, settings));
  if (shared === undefined) return;
  throw badOption(
    `Expected '--set' to set ${quoted(shared)} for all policies, got it in ${quoted(text)}: it is about the model.`,
  );
}

function isOfModel(name: string, settings: SettingValues) {
  const bare = { policy: policies.none, limits: NO_LIMITS };
  const value = settings[name as SettingName];
  return contentHash(applySettings(bare, { [name]: value })) !== contentHash(bare);
}
