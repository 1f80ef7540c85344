import { badOption, type HarnessError } from '../../lib/errors.ts';
import { nearestNames, quoted } from '../../lib/names.ts';
import { hasPackage } from './provider-package.ts';
import type { ModelSpec } from './spec.ts';

/** What is known of providers besides their packages. */
export interface KnownProviders {
  /** Models of the catalog, as `provider/model`. */
  readonly profiles: ReadonlyMap<string, unknown>;
  readonly baseUrl?: string | undefined;
}

/** Whose package comes with this program. */
const SHIPPED = 'openai';

/** Throws if nobody could be asked for a model, before anything is done: its provider is mistyped, or has no package here. */
export function checkProvider(
  { provider }: ModelSpec,
  { profiles, baseUrl }: KnownProviders,
): void {
  if (baseUrl !== undefined || provider === SHIPPED || hasPackage(provider)) return;
  const known = new Set([...profiles.keys()].map((id) => id.slice(0, id.indexOf('/'))));
  throw known.has(provider) ? lacksPackage(provider) : unknownProvider(provider, known);
}

/** What is said of a provider whose package is not installed. */
export function lacksPackage(provider: string): HarnessError {
  const name = `@ai-sdk/${provider}`;
  return badOption(
    `Provider ${quoted(provider)} needs the package '${name}', which is not installed: install it with 'npm install ${name}', or give '--base-url' of an OpenAI-compatible server.`,
  );
}

/** Nobody is told to install what a mistyped name leads to. */
function unknownProvider(provider: string, known: Iterable<string>): HarnessError {
  const nearest = nearestNames(provider, known).join(', ');
  return badOption(
    `Unknown provider ${quoted(provider)}. Nearest: ${nearest}. A server of your own needs '--base-url'.`,
  );
}
