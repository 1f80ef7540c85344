import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LanguageModel } from 'ai';
import { badOption, type HarnessError } from '../../lib/errors.ts';
import { faultCode } from '../../lib/files.ts';
import { describeNearest, quoted } from '../../lib/names.ts';
import type { ModelSpec } from './model-name.ts';

/** Settings that every AI SDK provider takes. */
interface ProviderSettings {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** A folder whose packages count beside those of this program: by default where it was started. */
  readonly folder?: string | undefined;
}

type CreateProvider = (
  settings: Readonly<Record<string, string>>,
) => (model: string) => LanguageModel;

/** Known facts about providers besides their packages. */
interface KnownProviders {
  /** Models of the catalog, as `provider/model`. */
  readonly profiles: ReadonlyMap<string, unknown>;
  readonly baseUrl?: string | undefined;
}

const FACTORY = /^create[A-Z]/;
const PROVIDER_NAME = /^[a-z0-9][a-z0-9-]*$/;

/** Whose package comes with this program. */
const SHIPPED = 'openai';

/**
 * Loads a model of an AI SDK provider by the provider's name; `undefined` where its package is not installed. The
 * one place that imports by a computed name. Why: docs/decisions, 2026-11-22, provider packages by name.
 */
export async function loadFromPackage(
  provider: string,
  model: string,
  { apiKey, baseUrl, folder = resolve('.') }: ProviderSettings,
): Promise<LanguageModel | undefined> {
  if (!PROVIDER_NAME.test(provider)) return undefined;
  const name = `@ai-sdk/${provider}`;
  const module = (await importInstalled(name)) ?? (await importFrom(folder, name));
  const create = module && findFactory(module);
  if (create === undefined) return undefined;
  return create({
    ...(apiKey !== undefined && { apiKey }),
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
  })(model);
}

/** Throws if a model cannot be asked: its provider is misspelt, or has no package here. */
export function checkProvider(
  { provider }: ModelSpec,
  { profiles, baseUrl }: KnownProviders,
): void {
  if (baseUrl !== undefined || provider === SHIPPED || hasPackage(provider)) return;
  const known = new Set([...profiles.keys()].map((id) => id.slice(0, id.indexOf('/'))));
  throw known.has(provider) ? lacksPackage(provider) : unknownProvider(provider, known);
}

/** The error for a provider whose package is not installed. */
export function lacksPackage(provider: string): HarnessError {
  const name = `@ai-sdk/${provider}`;
  return badOption(
    `Provider ${quoted(provider)} needs the package '${name}', which is not installed: install it with 'npm install ${name}', or give '--base-url' of an OpenAI-compatible server.`,
  );
}

/** Only a package that is absent is none; one that is broken throws. */
async function importInstalled(name: string): Promise<object | undefined> {
  try {
    return (await import(name)) as object;
  } catch (error) {
    const isAbsent =
      error instanceof Error &&
      'code' in error &&
      error.code === 'ERR_MODULE_NOT_FOUND' &&
      error.message.includes(name);
    if (isAbsent) return undefined;
    throw error;
  }
}

/** The program may be installed for all projects, and the package for the one at hand. */
async function importFrom(folder: string, name: string): Promise<object | undefined> {
  const path = resolveFrom(folder, name);
  return path === undefined ? undefined : ((await import(pathToFileURL(path).href)) as object);
}

function resolveFrom(folder: string, name: string): string | undefined {
  try {
    return createRequire(join(folder, 'any.js')).resolve(name);
  } catch (error) {
    if (faultCode(error) === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Every package has one function that makes its provider. */
function findFactory(module: object): CreateProvider | undefined {
  const [factory] = Object.entries(module).filter(
    ([name, value]) => FACTORY.test(name) && typeof value === 'function',
  );
  return factory?.[1] as CreateProvider | undefined;
}

/** Tests if the package of a provider is installed, for this program or in the working folder. Does not load it. */
function hasPackage(provider: string, folder: string = resolve('.')): boolean {
  if (!PROVIDER_NAME.test(provider)) return false;
  return [import.meta.dirname, folder].some((from) => isThere(from, `@ai-sdk/${provider}`));
}

function isThere(folder: string, name: string): boolean {
  try {
    return resolveFrom(folder, name) !== undefined;
  } catch {
    // One that cannot be resolved for another reason is there; loading it tells the reason.
    return true;
  }
}

/** The error for an unknown provider; a misspelt name suggests no package to install. */
function unknownProvider(provider: string, known: Iterable<string>): HarnessError {
  const hint = describeNearest(provider, known);
  return badOption(
    `Unknown provider ${quoted(provider)}${hint}. A server of your own needs '--base-url'.`,
  );
}
