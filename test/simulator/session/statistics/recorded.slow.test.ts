import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverSessionFiles } from '../../../../src/simulator/session/files/discover.ts';
import { loadSessions } from '../../../../src/simulator/session/load.ts';
import type { Distribution } from '../../../../src/simulator/session/statistics/distribution.ts';
import { figuresOf, poolSamples } from '../../../../src/simulator/session/statistics/pool.ts';
import {
  sampleSession,
  type SessionSample,
} from '../../../../src/simulator/session/statistics/sample-session.ts';
import { charsEstimator } from '../../../../src/simulator/session/statistics/sample.ts';

const FOLDER = resolve(import.meta.dirname, '../../../../../shared/sessions');
const hasShared = existsSync(FOLDER);
const note = hasShared ? '' : ' (skipped: ../shared is not there)';
const GOLDEN = resolve(import.meta.dirname, '../../../fixtures/recorded-statistics.txt');
const files = hasShared ? discoverSessionFiles([FOLDER]).files : [];
const samplesByFile = new Map(files.map((file) => [relative(FOLDER, file), samplesOf(file)]));

/** Number, mean, median and largest of a distribution. */
const shortened = (_: string, value: unknown) => {
  if (typeof value !== 'object' || value === null || !('p50' in value)) return value;
  const { n, mean, p50, max } = value as Distribution;
  return [n, mean, p50, max];
};

function samplesOf(file: string): readonly SessionSample[] {
  return [...loadSessions([file])].flatMap((loaded) =>
    loaded.state === 'read' ? [sampleSession(loaded.session, charsEstimator)] : [],
  );
}

function samplesIn(folder: string) {
  const own = [...samplesByFile].filter(([file]) => file.startsWith(join(folder, '/')));
  return own.flatMap(([, samples]) => samples);
}

describe.skipIf(!hasShared)(`statistics of recordings${note}`, () => {
  it('are as they were, of each file and of agents', async () => {
    const ofFiles = [...samplesByFile].map(([file, samples]) => {
      const { sessions, content, perSession, compactions } = poolSamples(samples, 'chars4');
      const { steps, toolOutputs, recordedMaxContextTokens } = perSession;
      const figures = { sessions, ...content.tokensByKind, steps, toolOutputs };
      const all = { ...figures, recordedMaxContextTokens, full: compactions.full };
      return `${file} ${JSON.stringify(all, shortened)}`;
    });
    const ofAgents = ['claude-sdk-stream', 'swe-agent', 'atif', 'cline'].flatMap((folder) => [
      folder,
      ...Object.entries(poolSamples(samplesIn(folder), 'chars4')).map(
        ([name, part]) => `  ${name} ${JSON.stringify(part, shortened)}`,
      ),
    ]);
    await expect(`${[...ofFiles, ...ofAgents].join('\n')}\n`).toMatchFileSnapshot(GOLDEN);
  });

  it('have a row of figures for each session', () => {
    const [sample] = samplesIn('claude-sdk-stream');
    expect(figuresOf(sample!)).toMatchObject({ compactions: 2, toolOutputs: 373 });
  });
});
