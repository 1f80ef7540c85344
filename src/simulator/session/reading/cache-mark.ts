/** Marks recorded counts that do not tell what was read from a cache. */

import type { Usage } from '../../../engine/index.ts';
import type { Session } from '../session.ts';

/** A recorded count, with a mark where it does not tell what was read from a cache. */
export interface RecordedUsage extends Usage {
  readonly isCacheUnknown?: true;
}

/** The count as it was recorded, marked where its cache reads stand at none for want of a number. */
export function markCache(usage: Usage, recordedReads: number | undefined): RecordedUsage {
  return recordedReads === undefined ? { ...usage, isCacheUnknown: true } : usage;
}

/** The count without a mark. */
export function withoutMark({ isCacheUnknown: _mark, ...usage }: RecordedUsage): Usage {
  return usage;
}

/** What its counts say of a session as a whole; providers that cached nothing in a request may leave out the number. */
export function cacheMarkOf(
  steps: readonly { readonly usage?: RecordedUsage | undefined }[],
): Pick<Session, 'isCacheUnknown'> {
  const usages = steps.flatMap(({ usage }) => usage ?? []);
  const isUnknown = usages.length > 0 && usages.every((usage) => usage.isCacheUnknown);
  return isUnknown ? { isCacheUnknown: true } : {};
}
