import type { NamedSettings } from './tune-report.ts';

/** What to write down so that settings hold from now on. */
export interface ConfigChange {
  /** For `opencode.json`; absent where no setting has a key there. */
  readonly file?: { readonly compaction: Readonly<Record<string, unknown>> };
  /** Settings that OpenCode has no key for, as they are given to this program. */
  readonly set: readonly string[];
}

/** Major, minor and patch of a release. */
type Release = readonly [major: number, minor: number, patch: number];

/** Keys below `compaction` by setting, of the releases before 2.0, with the first that reads them. Source: OpenCode release history. */
const KEYS: Readonly<Record<string, { readonly key: string; readonly since: Release }>> = {
  auto: { key: 'auto', since: [1, 0, 204] },
  prune: { key: 'prune', since: [1, 0, 204] },
  reserved: { key: 'reserved', since: [1, 1, 57] },
  tailTurns: { key: 'tail_turns', since: [1, 14, 19] },
  tailTokens: { key: 'preserve_recent_tokens', since: [1, 14, 19] },
};

/** The same since 2.0, where a dot leads into a group. */
const KEYS_OF_2: Readonly<Record<string, string>> = {
  auto: 'auto',
  reserved: 'buffer',
  keepTokens: 'keep.tokens',
};

const RELEASE = /^opencode-(\d+)\.(\d+)(?:\.(\d+))?$/;
const FIRST_OF_2 = 2;
/** Documents describe releases before 2.0, but none of them exactly. */
const IS_DOCUMENT = /^document-00/;
const ANY_BEFORE_2: Release = [1, Infinity, Infinity];

/** What to write for some settings to hold under a policy. */
export function toConfigChange(policy: string, settings: NamedSettings): ConfigChange {
  const keys = keysOf(policy);
  const compaction: Record<string, unknown> = {};
  const set: string[] = [];
  for (const [name, value] of Object.entries(settings)) {
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (key === undefined) set.push(`${name}=${value}`);
    else {
      const [group, inner] = key.split('.');
      if (inner === undefined) compaction[key] = value;
      else compaction[group ?? key] = { [inner]: value };
    }
  }
  return { ...(Object.keys(compaction).length > 0 && { file: { compaction } }), set };
}

/** What settings change: those that are so today need not be written. */
export function changedSettings(settings: NamedSettings, today: NamedSettings): NamedSettings {
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => today[name] !== value),
  );
}

function keysOf(policy: string): Readonly<Record<string, string>> {
  const release = releaseOf(policy);
  if (release === undefined) return {};
  if (release[0] >= FIRST_OF_2) return KEYS_OF_2;
  const known = Object.entries(KEYS).filter(([, { since }]) => !isBefore(release, since));
  return Object.fromEntries(known.map(([name, { key }]) => [name, key]));
}

function releaseOf(policy: string): Release | undefined {
  if (IS_DOCUMENT.test(policy)) return ANY_BEFORE_2;
  const [, major, minor, patch = 0] = RELEASE.exec(policy) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

function isBefore(release: Release, since: Release): boolean {
  const place = release.findIndex((number, index) => number !== since[index]);
  return place !== -1 && (release[place] ?? 0) < (since[place] ?? 0);
}
