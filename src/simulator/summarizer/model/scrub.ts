/** What keys look like in the messages of providers, also half masked. */
const KEYS =
  /\b(?:sk|pk|rk|xai|gsk|hf|ghp|gho|pat)[-_][\w*.-]{6,}|\bAIza[\w-]{20,}|\bBearer\s+[\w.~+/=-]{8,}|\bAKIA[A-Z0-9]{12,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g;
/** Where a person's own folder begins, on the common systems. */
const HOMES =
  /(?<![\w.-])(?:\/(?:home|Users)\/|[A-Za-z]:[\\/]+Users[\\/]+)[^\s/\\"'`:;,)\]}]+|(?<![\w.-])\/root(?=\/)/g;
/** Shorter ones would be found everywhere. */
const LEAST_SECRET_LENGTH = 6;

/** Takes keys and the folders of people out of texts; the secrets are those that are known to be in use. */
export function createScrub(secrets: readonly string[] = []): (text: string) => string {
  const known = secrets.filter(({ length }) => length >= LEAST_SECRET_LENGTH);
  return (text) =>
    known
      .reduce((scrubbed, secret) => scrubbed.replaceAll(secret, '[removed]'), text)
      .replaceAll(KEYS, '[key]')
      .replaceAll(HOMES, '~');
}
