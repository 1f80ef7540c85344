import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LanguageModel } from 'ai';
import { known } from '../../lib/collections.ts';
import { badOption, type HarnessError } from '../../lib/errors.ts';
import { faultCode } from '../../lib/files.ts';
import { describeNearest, quoted } from '../../lib/names.ts';
import type { ModelSpec } from './model-name.ts';

type CreateProvider = (
  settings: Readonly<Record<string, string>>,
) => (model: string) => LanguageModel;

const FACTORY = /^create[A-Z]/;
const PROVIDER_NAME = /^[a-z0-9][a-z0-9-]*$/;
const SHIPPED = 'openai';

/** A model of an AI SDK provider; `undefined` where its package is not installed. Why: docs/decisions, 2026-11-22, provider packages by name. */
export async function loadFromPackage(
  provider: string,
  model: string,
  settings: {
    readonly apiKey?: string | undefined;
    readonly baseUrl?: string | undefined;
    readonly folder?: string | undefined;
  },
): Promise<LanguageModel | undefined> {
  if (!PROVIDER_NAME.test(provider)) return undefined;
  const { apiKey, baseUrl, folder = resolve('.') } = settings;
  const name = `@ai-sdk/${provider}`;
  const module = (await importInstalled(name)) ?? (await importFrom(folder, name));
  const create = module && findFactory(module);
  return create?.(known({ apiKey, baseURL: baseUrl }))(model);
}

/** Throws for a provider that is misspelt, or has no package here. */
export function checkProvider(
  { provider }: ModelSpec,
  profiles: ReadonlyMap<string, unknown>,
  baseUrl?: string,
): void {
  if (baseUrl !== undefined || provider === SHIPPED || hasPackage(provider)) return;
  const providers = new Set([...profiles.keys()].map((id) => id.slice(0, id.indexOf('/'))));
  if (providers.has(provider)) throw lacksPackage(provider);
  const hint = describeNearest(provider, providers);
  throw badOption(
    `Unknown provider ${quoted(provider)}${hint}. A server of your own needs '--base-url'.`,
  );
}

export function lacksPackage(provider: string): HarnessError {
  const name = `@ai-sdk/${provider}`;
  return badOption(
    `Provider ${quoted(provider)} needs the package '${name}', which is not installed: install it with 'npm install ${name}', or give '--base-url' of an OpenAI-compatible server.`,
  );
}

/** Only a package that is absent is none; one that is broken throws. */
async function importInstalled(name: string) {
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
async function importFrom(folder: string, name: string) {
  const path = resolveFrom(folder, name);
  return path === undefined ? undefined : ((await import(pathToFileURL(path).href)) as object);
}

function resolveFrom(folder: string, name: string) {
  try {
    return createRequire(join(folder, 'any.js')).resolve(name);
  } catch (error) {
    if (faultCode(error) === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function findFactory(module: object) {
  const [factory] = Object.entries(module).filter(
    ([name, value]) => FACTORY.test(name) && typeof value === 'function',
  );
  return factory?.[1] as CreateProvider | undefined;
}

/** Does not load the package. */
function hasPackage(provider: string) {
  if (!PROVIDER_NAME.test(provider)) return false;
  return [import.meta.dirname, resolve('.')].some((from) => isThere(from, `@ai-sdk/${provider}`));
}

function isThere(folder: string, name: string) {
  try {
    return resolveFrom(folder, name) !== undefined;
  } catch {
    // One that cannot be resolved for another reason is there; loading it tells the reason.
    return true;
  }
}
