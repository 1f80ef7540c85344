import type { LanguageModel } from 'ai';

/** Settings that every AI SDK provider takes. */
export interface ProviderSettings {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
}

type CreateProvider = (
  settings: Readonly<Record<string, string>>,
) => (model: string) => LanguageModel;

const FACTORY = /^create[A-Z]/;
const PROVIDER_NAME = /^[a-z0-9][a-z0-9-]*$/;

/**
 * Loads a model of an AI SDK provider by the provider's name; `undefined` where its package is not installed. The
 * one place that imports by a computed name. Why: docs/decisions, 2026-11-22, provider packages by name.
 */
export async function loadFromPackage(
  provider: string,
  model: string,
  { apiKey, baseUrl }: ProviderSettings,
): Promise<LanguageModel | undefined> {
  if (!PROVIDER_NAME.test(provider)) return undefined;
  const module = await importInstalled(`@ai-sdk/${provider}`);
  const create = module && findFactory(module);
  if (create === undefined) return undefined;
  return create({
    ...(apiKey !== undefined && { apiKey }),
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
  })(model);
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

/** Every package has one function that makes its provider. */
function findFactory(module: object): CreateProvider | undefined {
  const [factory] = Object.entries(module).filter(
    ([name, value]) => FACTORY.test(name) && typeof value === 'function',
  );
  return factory?.[1] as CreateProvider | undefined;
}
