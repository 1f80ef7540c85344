import type { InitializeHook, ResolveHook } from 'node:module';
import { pathToFileURL } from 'node:url';

const SOURCES = new URL('../../src/', import.meta.url).href;

let builtUrl = SOURCES;

/** Takes the folder into which the sources were built. */
export const initialize: InitializeHook<string> = (folder) => {
  builtUrl = `${pathToFileURL(folder).href}/`;
};

/**
 * Takes what was built in the place of its source. A source that is compiled on its way in gives each function its
 * name anew whenever that is made, which would be measured too.
 */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const resolved = await nextResolve(specifier, context);
  if (!resolved.url.startsWith(SOURCES)) return resolved;
  const path = resolved.url.slice(SOURCES.length).replace(/\.ts\b/, '.js');
  return { ...resolved, url: `${builtUrl}${path}`, format: 'module' };
};
