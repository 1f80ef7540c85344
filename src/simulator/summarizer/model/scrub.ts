import type { Environment } from '../../env.ts';

/** What is known to be in use here, and belongs in no text that others see. */
export interface Confidential {
  readonly secrets?: readonly string[] | undefined;
  /** Folders of people. */
  readonly homes?: readonly string[] | undefined;
}

/** What keys look like in the messages of providers, also half masked. */
const KEYS =
  /\b(?:sk|pk|rk|xai|gsk|hf|ghp|gho|pat)[-_][\w*.-]{6,}|\bAIza[\w-]{20,}|\bBearer\s+[\w.~+/=-]{8,}|\bAKIA[A-Z0-9]{12,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g;
/** Where a person's own folder begins, on the common systems. */
const HOMES =
  /(?<![\w.-])(?:\/(?:home|Users)\/|[A-Za-z]:[\\/]+Users[\\/]+)[^\s/\\"'`:;,)\]}]+|(?<![\w.-])\/root(?=\/)/g;
/** Shorter ones would be found everywhere. */
const LEAST_SECRET_LENGTH = 6;

/** Variables that hold what nobody else is to know. */
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;
/** Variables that hold a person's own folder, wherever that is. */
const HOME_NAMES: ReadonlySet<string> = new Set(['HOME', 'USERPROFILE']);

/** Takes keys and the folders of people out of texts, those that are known and those that look like one. */
export function createScrub({ secrets = [], homes = [] }: Confidential): (text: string) => string {
  const known = [
    ...secrets.filter(isLong).map((secret) => [secret, '[removed]'] as const),
    ...homes.filter(isLong).map((home) => [home, '~'] as const),
  ];
  return (text) =>
    known
      .reduce((scrubbed, [found, shown]) => scrubbed.replaceAll(found, shown), text)
      .replaceAll(KEYS, '[key]')
      .replaceAll(HOMES, '~');
}

/** What an environment says of keys and folders; `keyName` names a variable that is one whatever it is called. */
export function confidentialIn(
  environment: Environment,
  keyName: string | undefined,
): Confidential {
  const variables = Object.entries(environment).map(([name, value = '']) => ({ name, value }));
  const isSecret = (name: string) => name === keyName || SECRET_NAME.test(name);
  return {
    secrets: variables.filter(({ name }) => isSecret(name)).map(({ value }) => value),
    homes: variables.filter(({ name }) => HOME_NAMES.has(name)).map(({ value }) => value),
  };
}

function isLong({ length }: string): boolean {
  return length >= LEAST_SECRET_LENGTH;
}
