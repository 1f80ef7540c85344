/** How long an answer may be. */

/** Longest answer, in tokens, of a summarizer without a model where the request sets no cap. */
export const DEFAULT_CAP_TOKENS = 4_096;
