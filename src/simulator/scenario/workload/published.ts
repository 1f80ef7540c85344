/** Figures of which a source gives a mean or quantiles, but no sessions. */
export const PUBLISHED_NUMBERS = [
  'requestsPerSession',
  'toolStepsPerSession',
  'callsPerSession',
  'toolStepsPerRequest',
  'callsPerRequest',
  'callsPerStep',
  'prefixTokens',
  'appendedTokens',
  'outputTokens',
  'growthTokens',
  'secondsBeforeUser',
  'compactionsWhereAny',
] as const;

/** Figures that a source gives as a share of something, in percent. */
export const PUBLISHED_SHARES = [
  'compactingSessions',
  'compactionsAmongTools',
  'shrinkingSteps',
  'cacheRead',
  'cacheReadBehindUser',
  'cacheReadBehindTools',
  'waitsUpToFiveMinutes',
  'waitsUpToAnHour',
  'spentOnPrefix',
  'spentOnAppended',
  'spentOnOutput',
] as const;

/** What is told of numbers. */
export const PUBLISHED_STATISTICS = ['mean', 'p25', 'p50', 'p90', 'p99'] as const;

/** The name of a figure of numbers. */
export type PublishedNumber = (typeof PUBLISHED_NUMBERS)[number];

/** The name of a share. */
export type PublishedShare = (typeof PUBLISHED_SHARES)[number];

/** The name of a mean or a quantile. */
export type PublishedStatistic = (typeof PUBLISHED_STATISTICS)[number];

/** Where a published figure lies; both ends are the same where the source gives one number. */
export interface PublishedRange {
  readonly low: number;
  readonly high: number;
  /** How far outside is near enough by the evaluation design, section 9.7; absent: not at all. */
  readonly tolerance?: number;
}

/** A figure as its source gives it: of numbers a statistic, of shares the share. */
export type Published = PublishedRange &
  (
    | { readonly figure: PublishedNumber; readonly statistic: PublishedStatistic }
    | { readonly figure: PublishedShare }
  );
