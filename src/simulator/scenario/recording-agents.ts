/** The preset of an agent's release, by the releases that presets claim. */

import { type PolicyName, presetOrigins } from '../../engine/index.ts';
import { known } from '../lib/collections.ts';
import type { Session } from '../session/session.ts';
import agents from './recording-agents.json' with { type: 'json' };

type Claim = ReturnType<typeof toClaim>;

/** Agents with several origins: the first that claims a release has it. */
const ORIGINS: Readonly<Record<string, readonly string[]>> = {
  opencode: ['OpenCode 2', 'OpenCode'],
  codex: ['Codex with OpenAI', 'Codex'],
};

const SHORT_NAMES = new Map(Object.entries(agents.short));

const RELEASE_NAME = /^(?<agent>.+?)(?:-v?(?<release>\d+(?:\.\d+)*))?$/;
const CLAIMS: readonly Claim[] = (Object.keys(presetOrigins) as PolicyName[])
  .map(toClaim)
  .toSorted((one, other) => compareReleases(other.from ?? [], one.from ?? []));

/** The preset of an agent's name, alone or with a release: `opencode`, `claude-2.1`. */
export function findRelease(name: string): PolicyName | undefined {
  const { agent = '' } = RELEASE_NAME.exec(name)?.groups ?? {};
  const claims = claimsOf(agent).filter(({ from }) => from !== undefined);
  return claimOf(claims, releaseIn(name))?.preset;
}

/** The release in such a name; `undefined` where it has none, or is the name of a preset. */
export function releaseIn(name: string): readonly number[] | undefined {
  if (Object.hasOwn(presetOrigins, name)) return undefined;
  return RELEASE_NAME.exec(name)?.groups?.['release']?.split('.').map(Number);
}

/** The releases that a preset was observed in, if another one is none of them. */
export function outsideOf(preset: PolicyName, release: readonly number[] | undefined) {
  const { from, to } = presetOrigins[preset];
  if (release === undefined || from === undefined || isClaimed(toClaim(preset), release))
    return undefined;
  return `${from} to ${to ?? 'now'}`;
}

/** The preset of the agent and release that recorded a session, or of the nearest release. */
export function claimOfRecording({ format, release }: Pick<Session, 'format' | 'release'>) {
  const agent = Object.entries(agents.formats).find(([name]) => name === format)?.[1];
  const claim = agent === undefined ? undefined : claimOf(claimsOf(agent), release);
  if (claim === undefined) return undefined;
  const { preset } = claim;
  return { preset, ...known({ outsideOf: outsideOf(preset, release) }) };
}

/** Compares two releases; an absent number is 0. */
export function compareReleases(one: readonly number[], other: readonly number[]) {
  const longer = one.length < other.length ? other : one;
  const at = longer.findIndex((_, index) => (one[index] ?? 0) !== (other[index] ?? 0));
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

export function newestReleaseOf(
  sessions: readonly Pick<Session, 'release'>[],
): readonly number[] | undefined {
  return sessions
    .flatMap(({ release }) => (release ? [release] : []))
    .toSorted(compareReleases)
    .at(-1);
}

/** A preset with its releases as numbers; absent where its origin names none. */
function toClaim(preset: PolicyName) {
  const { agent, from, to } = presetOrigins[preset];
  const [first, last] = [from, to].map((release) => release?.split('.').map(Number));
  return { preset, agent, ...known({ from: first, to: last }) };
}

function claimsOf(given: string) {
  const name = SHORT_NAMES.get(given) ?? given;
  const byPreset = CLAIMS.find(({ preset }) => preset === name)?.agent;
  const origins = Object.hasOwn(ORIGINS, name) ? ORIGINS[name] : undefined;
  return origins === undefined
    ? CLAIMS.filter(
        ({ agent }) => agent === byPreset || agent.toLowerCase().replaceAll(' ', '-') === name,
      )
    : origins.flatMap((origin) => CLAIMS.filter(({ agent }) => agent === origin));
}

/** The claim of a release, or the nearest one; the newest where the release is unknown. */
function claimOf(claims: readonly Claim[], release: readonly number[] | undefined) {
  const own = release && claims.find((claim) => isClaimed(claim, release));
  if (own || release === undefined) return own ?? claims[0];
  const after = claims.findLast(({ from = [] }) => compareReleases(from, release) > 0);
  const before = claims.find(({ from = [] }) => compareReleases(from, release) <= 0);
  if (before === undefined || after === undefined) return before ?? after;
  const [back = [], ahead = []] = [before.to ?? release, after.from ?? release].map((end) =>
    release.map((number, index) => Math.abs((end[index] ?? 0) - number)),
  );
  return compareReleases(back, ahead) <= 0 ? before : after;
}

function isClaimed({ from = [], to }: Claim, release: readonly number[]) {
  return (
    compareReleases(from, release) <= 0 && (to === undefined || compareReleases(to, release) >= 0)
  );
}
