/** What a run needs: nothing, a recording, or a real model. Source: evaluation design, section 9.6. */
export const TIERS = ['deterministic', 'cassette', 'live'] as const;

/** The name of a tier. */
export type Tier = (typeof TIERS)[number];

/** The tier of a run by the name of its summarizer. */
export function tierOf(summarizer: string): Tier {
  if (summarizer.startsWith('cassette:')) return 'cassette';
  return summarizer.startsWith('ai:') ? 'live' : 'deterministic';
}
