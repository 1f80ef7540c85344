import { describe, expect, it } from 'vitest';
import { readCatalog } from '../../../../src/simulator/provider/catalog.ts';
import type { Compactor } from '../../../../src/simulator/replay/foreign/compactor.ts';
import { runCompactor } from '../../../../src/simulator/sweep/adapter/run-compactor.ts';
import { runOnAdapter } from '../../../../src/simulator/sweep/adapter/run-scenario.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';
import { sampleScenario, sampleText } from '../../scenario/file/sample-scenario.ts';

const idle: Compactor = ({ messages }) => messages;
const open = () => ({ compact: idle, end: () => {} });
const LIVE = '"ai:openai/gpt-4o"';

describe('a scenario with a real model, run against somebody’s own compaction', () => {
  it('asks nobody for that model', async () => {
    const scenario = sampleScenario({ also: `[{ name: asked, summarizer: ${LIVE} }]` });
    const environment = {
      catalog: readCatalog(),
      countOf: async () => (text: string) => text.length,
      findSummarizer: (name: string) => {
        throw new Error(`Expected nobody to ask for ${name}.`);
      },
    };
    const { passed, runs } = await runOnAdapter(scenario, environment, open);
    expect(passed).toBe(true);
    expect(runs.map(({ made }) => made.summarizer)).toEqual(['own']);
  });

  it('gives its session to a test without it', async () => {
    const text = sampleText({ summarizer: LIVE });
    const scenario = writeFile(createFolder(), 'live.yaml', text);
    expect((await runCompactor({ compactor: idle, scenario })).holds('all')).toBe(true);
  });
});
