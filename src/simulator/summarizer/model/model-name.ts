import type { Environment } from '../../env.ts';
import { badOption } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';

/** A real model as it is named on the command line. */
export interface ModelSpec {
  /** As in `@ai-sdk/PROVIDER`, or any name beside a base URL. */
  readonly provider: string;
  /** As the provider names it; it may have slashes and colons. */
  readonly model: string;
}

export interface KeySettings {
  /** The variable that holds the key; by default the provider's usual one, and none beside a base URL. */
  readonly apiKeyEnv?: string | undefined;
  readonly baseUrl?: string | undefined;
}

const PREFIX = 'ai:';
const SPEC = /^ai:([a-z0-9][a-z0-9-]*)\/(\S+)$/;
/** No server takes it for a key, and no client looks for one of its own. */
const NO_KEY = 'none';

export function isModelName(name: string) {
  return name.startsWith(PREFIX);
}

export function parseModelName(name: string): ModelSpec {
  const [, provider, model] = SPEC.exec(name) ?? [];
  if (provider !== undefined && model !== undefined) return { provider, model };
  throw badOption(
    `Expected a real model as 'ai:PROVIDER/MODEL', as in 'ai:openai/gpt-5-mini', got ${quoted(name)}.`,
  );
}

/** The key of a model's provider; absent where its package may look for one. */
export function apiKeyOf(
  { provider }: ModelSpec,
  { apiKeyEnv, baseUrl }: KeySettings,
  environment: Environment,
) {
  const usual = `${provider.toUpperCase().replaceAll('-', '_')}_API_KEY`;
  const variable = apiKeyEnv ?? (baseUrl === undefined ? usual : undefined);
  const key = variable === undefined ? undefined : environment[variable];
  if (key !== undefined && key !== '') return key;
  const isNeeded = apiKeyEnv !== undefined || (provider === 'openai' && baseUrl === undefined);
  if (isNeeded) {
    throw badOption(
      `Expected the key of ${quoted(provider)} in the environment variable ${quoted(variable ?? '')}, which is not set.`,
    );
  }
  return baseUrl === undefined ? undefined : NO_KEY;
}
