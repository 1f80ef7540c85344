import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compareSamples } from '../../../../src/simulator/scenario/workload/compare.ts';
import { findWorkload } from '../../../../src/simulator/scenario/workload/workloads.ts';
import { generateSamples } from './sessions.ts';

it('sessions of Claude Code are as far off as the docs say', () => {
  const workload = findWorkload('claude-code');
  const all = compareSamples(generateSamples(workload, 60), workload);
  const far = all.filter(({ distance, chanceDistance }) => distance > chanceDistance);
  const names = far.map(({ figure }) => `\`${figure}\``);
  const { distance, chanceDistance } = all.find(({ figure }) => figure === 'toolOutputTokens')!;
  const path = join(import.meta.dirname, '../../../../docs/sessions.md');
  const page = readFileSync(path, 'utf8').replaceAll(/\s+/g, ' ');
  expect(page).toContain(
    `${far.length} of ${all.length} figures are farther off than chance: ${names[0]} by little (a distance of ${distance.toFixed(3)} instead of ${chanceDistance.toFixed(3)}), ${names.slice(1, -1).join(', ')} and ${names.at(-1)}.`,
  );
});
