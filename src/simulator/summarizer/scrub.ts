/** Cuts keys and the folders of people out of texts that others may see. */

import type { Environment } from '../env.ts';

interface Confidential {
  readonly secrets?: readonly string[] | undefined;
  readonly homes?: readonly string[] | undefined;
}

/** Shapes of keys, also half masked, as their vendors document them. */
export const KEY_SHAPES = {
  'OpenAI, Anthropic, Stripe': /\b(?:sk|pk|rk)[-_][\w*.-]{6,}/g,
  'xAI, Groq, Hugging Face': /\b(?:xai|gsk|hf|pat)[-_][\w*.-]{6,}/g,
  Google: /\b(?:AIza[\w-]{20,}|ya29\.[\w-]{20,})/g,
  'AWS key id': /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}/g,
  /** Known by its name alone. */
  'AWS secret':
    /(?<=(?:secret_?access_?key|aws_?session_?token)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)[\w/+=]{30,}/gi,
  GitHub: /\bgh[oprsu][-_][\w*.-]{6,}/g,
  'GitHub, fine-grained': /\bgithub_pat_\w{20,}/g,
  GitLab: /\b(?:gl[a-z]{2,6}-[\w.-]{20,}|GR1348941[\w-]{20,})/g,
  Slack: /\b(?:xox[a-z](?:\.xox[a-z])?|xapp)-[\w-]{10,}/g,
  'Slack webhook': /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/]{20,}/g,
  SendGrid: /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  npm: /\bnpm_[A-Za-z0-9]{30,}/g,
  PyPI: /\bpypi-[\w-]{40,}/g,
  DigitalOcean: /\bdo[opr]_v1_[a-f0-9]{40,}/g,
  Bearer: /\bBearer\s+[\w.~+/=-]{8,}/g,
  'JSON web token': /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /** One that is cut off lasts to the end of its text. */
  PEM: /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)/g,
} as const satisfies Record<string, RegExp>;

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

function isLong({ length }: string) {
  return length >= LEAST_SECRET_LENGTH;
}
