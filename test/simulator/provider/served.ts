import * as fc from 'fast-check';
import type { ServedTokens } from '../../../src/simulator/provider/usage.ts';

/** Tokens of a request in which nothing was lost, cut or thought but what is said. */
export function served(
  [readTokens, writeTokens, freshTokens]: readonly [number, number, number],
  outputTokens: number,
  changes: Partial<ServedTokens> = {},
): ServedTokens {
  const requestTokens = readTokens + writeTokens + freshTokens;
  return {
    split: { readTokens, writeTokens, freshTokens, lostTokens: 0, isCold: false },
    outputTokens,
    reasoningTokens: 0,
    sentTokens: requestTokens,
    keptTokens: requestTokens,
    opensTurn: false,
    ...changes,
  };
}

/** Tokens of any request. */
export const servedTokens: fc.Arbitrary<ServedTokens> = fc
  .record({
    split: fc.tuple(fc.nat(200_000), fc.nat(200_000), fc.nat(200_000)),
    text: fc.nat(5_000),
    reasoningTokens: fc.nat(50_000),
    opensTurn: fc.boolean(),
  })
  .map(({ split, text, reasoningTokens, opensTurn }) =>
    served(split, text + reasoningTokens, { reasoningTokens, opensTurn }),
  );

/** Tokens of the request alone. */
export function requestTokensOf({ split }: ServedTokens): number {
  return split.readTokens + split.writeTokens + split.freshTokens;
}
