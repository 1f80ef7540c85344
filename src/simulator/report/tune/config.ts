import type { NamedSettings } from './tune-report.ts';

/** What to write down so that settings hold from now on. */
export interface ConfigChange {
  /** For `opencode.json`; absent where no setting has a key there. */
  readonly file?: { readonly compaction: Readonly<Record<string, unknown>> };
  /** Settings that OpenCode has no key for, as they are given to this program. */
  readonly set: readonly string[];
}

/** Keys below `compaction` by setting, of the releases before 2.0. Source: OpenCode release history. */
const KEYS: Readonly<Record<string, string>> = {
  auto: 'auto',
  prune: 'prune',
  reserved: 'reserved',
  tailTurns: 'tail_turns',
  tailTokens: 'preserve_recent_tokens',
};

/** The same since 2.0, where a dot leads into a group. */
const KEYS_OF_2: Readonly<Record<string, string>> = {
  auto: 'auto',
  reserved: 'buffer',
  keepTokens: 'keep.tokens',
};

const IS_OPENCODE = /^(?:opencode-|document-00)/;
const IS_OPENCODE_2 = /^opencode-2\./;
/** Releases that no key can tell a reserve. */
const HAS_NO_RESERVE = /^opencode-(?:0\.|1\.0\.|1\.1\.23$)/;

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

function keysOf(policy: string): Readonly<Record<string, string>> {
  if (!IS_OPENCODE.test(policy)) return {};
  if (IS_OPENCODE_2.test(policy)) return KEYS_OF_2;
  if (!HAS_NO_RESERVE.test(policy)) return KEYS;
  const { reserved: _, ...keys } = KEYS;
  return keys;
}
