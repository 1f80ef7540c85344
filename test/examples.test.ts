import { describe, expect, it } from 'vitest';
import { runAgent } from '../examples/agent-loop.ts';
import { createFakeModel, type Generate } from '../examples/fake-model.ts';

describe('examples/agent-loop.ts', () => {
  it('reads more than its window holds, compacts, and ends', async () => {
    const run = await runAgent('Read all files.', createFakeModel(30, 20_000));
    expect(run).toMatchObject({ steps: 31, reason: 'finished' });
    expect(run.compactions).toBeGreaterThanOrEqual(3);
  });

  it('never sends more than the window, and hands the summary on', async () => {
    const model = createFakeModel(30, 20_000);
    const sizes: number[] = [];
    const sent: string[] = [];
    const watching: Generate = async (options) => {
      const generated = await model(options);
      if (Object.keys(options.tools).length > 0) {
        sizes.push(generated.usage.inputTokens);
        sent.push(JSON.stringify(options.messages));
      }
      return generated;
    };
    await runAgent('Read all files.', watching);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(50_000);
    expect(sent.at(-1)).toContain('files were read.');
  });

  it('compacts nothing that fits', async () => {
    expect(await runAgent('Read one.', createFakeModel(1, 100))).toEqual({
      steps: 2,
      compactions: 0,
      reason: 'finished',
    });
  });
});
