import type { Environment } from '../../env.ts';
import { badOption } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';
import type { ModelSpec } from './spec.ts';

/** What decides which key a model is asked with. */
export interface KeySettings {
  /** The variable that holds the key; by default the provider's usual one, and none beside a base URL. */
  readonly apiKeyEnv?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** No server takes it for a key, and no client looks for one of its own. */
const NO_KEY = 'none';

/**
 * The key of a model's provider; absent where its package may look for one itself. A key goes to its own provider, and
 * elsewhere only where somebody says which. Throws `HarnessError` where one is needed and not set.
 */
export function apiKeyOf(
  { provider }: ModelSpec,
  { apiKeyEnv, baseUrl }: KeySettings,
  environment: Environment,
): string | undefined {
  const variable = apiKeyEnv ?? (baseUrl === undefined ? usualVariable(provider) : undefined);
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

function usualVariable(provider: string): string {
  return `${provider.toUpperCase().replaceAll('-', '_')}_API_KEY`;
}
