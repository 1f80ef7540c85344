const UNKNOWN_PROVIDER = 'unknown/';
/** Ends of an id that name a release of the model or its newest one: a date, `latest`, and the `0` of Anthropic. */
const RELEASE = /(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2})|-latest|-0)$/;

/** Whether two names in `provider/model` form mean one model, whichever release; a provider that nobody recorded may be any. */
export function isSameModel(a: string, b: string): boolean {
  const [one, other] = [withoutRelease(a), withoutRelease(b)];
  return one === other || isOfUnknown(one, other) || isOfUnknown(other, one);
}

/** The name of a model without the date of its release. */
export function withoutRelease(model: string): string {
  return model.replace(RELEASE, '');
}

function isOfUnknown(model: string, other: string): boolean {
  if (!model.startsWith(UNKNOWN_PROVIDER)) return false;
  return model.slice(UNKNOWN_PROVIDER.length) === other.slice(other.indexOf('/') + 1);
}
