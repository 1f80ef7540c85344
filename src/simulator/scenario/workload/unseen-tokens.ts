import type { SessionSample } from '../../session/statistics/sample.ts';

/** What each step reports to have written beyond what is shown of it; steps without a final count say nothing. */
export function unseenTokensOf(
  samples: readonly SessionSample[],
  charactersPerToken: number,
): readonly number[] {
  return samples.flatMap(({ steps }) =>
    steps.flatMap(({ outputTokens, writtenCharacters }) =>
      outputTokens === undefined
        ? []
        : Math.max(0, outputTokens - writtenCharacters / charactersPerToken),
    ),
  );
}
