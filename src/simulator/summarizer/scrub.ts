/** Cuts keys and the folders of people out of texts that others may see. */

import type { Environment } from '../env.ts';
import shapes from './key-shapes.json' with { type: 'json' };

interface Confidential {
  readonly secrets?: readonly string[] | undefined;
  readonly homes?: readonly string[] | undefined;
}

/** Shapes of keys, also half masked, as their vendors document them; a PEM key that is cut off lasts to the end of its text. */
export const KEY_SHAPES = Object.fromEntries(
  Object.entries(shapes).map(([name, [source = '', flags]]) => [name, new RegExp(source, flags)]),
) as Readonly<Record<keyof typeof shapes, RegExp>>;

const HOMES =
  /(?<![\w.-])(?:\/(?:home|Users)\/|[A-Za-z]:[\\/]+Users[\\/]+)[^\s/\\"'`:;,)\]}]+|(?<![\w.-])\/root(?=\/)/g;
const LEAST_SECRET_LENGTH = 6;
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;
const HOME_NAMES: ReadonlySet<string> = new Set(['HOME', 'USERPROFILE']);

/** Takes known and likely keys and the folders of people out of texts. */
export function createScrub({ secrets = [], homes = [] }: Confidential): (text: string) => string {
  const known = [
    ...secrets.filter(isLong).map((secret) => [secret, '[removed]'] as const),
    ...homes.filter(isLong).map((home) => [home, '~'] as const),
    ...Object.values(KEY_SHAPES).map((shape) => [shape, '[key]'] as const),
    [HOMES, '~'] as const,
  ];
  return (text) =>
    known.reduce((scrubbed, [found, shown]) => scrubbed.replaceAll(found, shown), text);
}

/** The keys and folders in an environment; `keyName` is always treated as a key. */
export function confidentialIn(environment: Environment, keyName?: string): Confidential {
  const variables = Object.entries(environment).map(([name, value = '']) => ({ name, value }));
  const isSecret = (name: string) => name === keyName || SECRET_NAME.test(name);
  return {
    secrets: variables.filter(({ name }) => isSecret(name)).map(({ value }) => value),
    homes: variables.filter(({ name }) => HOME_NAMES.has(name)).map(({ value }) => value),
  };
}

function isLong({ length }: string) {
  return length >= LEAST_SECRET_LENGTH;
}
