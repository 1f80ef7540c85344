import { Buffer } from 'node:buffer';

/** The rank of every token of an encoding, by its bytes written as one character each. */
export type RankTable = ReadonlyMap<string, number>;

/** A text as its UTF-8 bytes, one character each; a lone surrogate becomes U+FFFD. */
export function toByteString(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The text of a byte string. */
export function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The rank table of tokens in the order of their ranks. */
export function buildRankTable(tokens: readonly string[]): RankTable {
  const ranks = new Map<string, number>();
  tokens.forEach((token, rank) => ranks.set(token, rank));
  return ranks;
}
