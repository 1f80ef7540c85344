import { sum } from '../../lib/collections.ts';

const DAMPING = 0.85;
const ROUNDS = 10;

/** The rank of each node of a graph by its weighted links, after Brin and Page (1998). */
export function rankByLinks(links: readonly (readonly number[])[]): readonly number[] {
  const sums = links.map(sum);
  let ranks: readonly number[] = links.map(() => 1);
  for (let round = 0; round < ROUNDS; round++) {
    const shares = ranks.map((rank, node) => rank / (sums[node] || 1));
    ranks = links.map(
      (own) =>
        1 -
        DAMPING +
        DAMPING * own.reduce((total, weight, node) => total + weight * (shares[node] ?? 0), 0),
    );
  }
  return ranks;
}
