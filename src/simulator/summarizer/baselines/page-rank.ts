const DAMPING = 0.85;
const ROUNDS = 10;

/** The rank of each node of a graph by its weighted links, after Brin and Page (1998). */
export function rankByLinks(links: readonly (readonly number[])[]): readonly number[] {
  const sums = links.map((own) => own.reduce((sum, weight) => sum + weight, 0));
  let ranks: readonly number[] = links.map(() => 1);
  for (let round = 0; round < ROUNDS; round++) {
    const shares = ranks.map((rank, node) => rank / (sums[node] || 1));
    ranks = links.map(
      (own) =>
        1 -
        DAMPING +
        DAMPING * own.reduce((sum, weight, node) => sum + weight * (shares[node] ?? 0), 0),
    );
  }
  return ranks;
}
