import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import { runFiles, type RunItem } from '../../../src/simulator/sweep/run-files.ts';

const RECORDED = join(import.meta.dirname, '../../../scenarios/recorded');

async function collect(items: AsyncIterable<RunItem>): Promise<readonly RunItem[]> {
  const all: RunItem[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('runFiles', () => {
  it('makes a row of a run that breaks, with its reason, and goes on with the others', async () => {
    const items = await collect(
      runFiles({
        files: [join(RECORDED, 'csv-format.json'), join(RECORDED, 'discriminated-unions.json')],
        policies: [policies['opencode-1.2.16'], policies.none],
        model: createProfile('openai/gpt-4o', { contextTokens: 64_000, outputTokens: 8_000 }),
        summarizer: {
          name: 'broken',
          summarise: () => {
            throw new Error('the summarizer broke');
          },
        },
        seed: 1,
      }),
    );
    const records = items.flatMap((item) => (item.type === 'record' ? [item.record] : []));
    expect(records.map(({ policy, state }) => [policy, state])).toEqual([
      ['opencode-1.2.16', 'failed'],
      ['none', 'completed'],
      ['opencode-1.2.16', 'failed'],
      ['none', 'completed'],
    ]);
    expect(records[0]?.reason).toBe('the summarizer broke');
    expect(records[0]?.metrics.steps).toBeNull();
  });

  it('tells with which model a session was recorded', async () => {
    const items = await collect(
      runFiles({
        files: [join(RECORDED, 'csv-format.json')],
        policies: [policies.none],
        model: createProfile('openai/gpt-4o', { contextTokens: 64_000, outputTokens: 8_000 }),
        summarizer: {
          name: 'silent',
          summarise: () => ({ state: 'failed', reason: 'silent', isOverflow: false }),
        },
        seed: 1,
      }),
    );
    const sources = items.flatMap((item) => (item.type === 'record' ? [item.source] : []));
    expect(sources.map((source) => source?.recordedModel)).toEqual(['compaction-bench/scripted']);
  });
});
