import { ARMS, costsOfArms } from './reproductions/masking-against-summary.ts';

const costs = costsOfArms();
for (const name of ['raw', 'masking', 'summary'] as const) {
  const ratio = costs[name] / costs.raw;
  const published = ARMS[name].publishedUsd;
  const expected = published / ARMS.raw.publishedUsd;
  process.stdout.write(
    `${name}: $${costs[name].toFixed(3)} (study $${published}), of raw ${ratio.toFixed(2)} (study ${expected.toFixed(2)})\n`,
  );
}
