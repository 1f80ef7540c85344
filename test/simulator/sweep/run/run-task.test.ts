import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planSweep } from '../../../../src/simulator/sweep/plan.ts';
import { createTaskContext } from '../../../../src/simulator/sweep/run/run-task.ts';
import { chatOf, createFolder, writeFile } from '../../../support/session-files.ts';

const MODEL = 'anthropic/claude-sonnet-4-5';
const folder = createFolder();
const file = writeFile(folder, 'chat.json', chatOf(2));

describe('createTaskContext', () => {
  it('takes no session that is another one than was planned, for its rows would not say so', async () => {
    const plan = await planSweep({ files: [file], cells: [], seeds: [1] });
    const { ref } = plan!.sessions[0]!;
    const [before, after] = [await createTaskContext([]), await createTaskContext([])];
    await Promise.all([before, after].map((context) => context.load(new Set([MODEL]))));
    expect(() => before.bareFor(ref, MODEL)).not.toThrow();
    writeFileSync(file, chatOf(3));
    expect(() => after.bareFor(ref, MODEL)).toThrow(
      'does not hold what the sweep was planned with',
    );
    writeFileSync(file, chatOf(2));
    expect(() => after.bareFor(ref, MODEL)).not.toThrow();
  });

  it('reads no file again whose traces were kept as it was read', async () => {
    const cacheFolder = createFolder();
    const once = writeFile(folder, 'once.json', chatOf(4));
    const plan = (models: readonly string[]) =>
      planSweep({ files: [once], cells: [], seeds: [1], traces: { cacheFolder, models } });
    const { ref } = (await plan([MODEL]))!.sessions[0]!;
    const [other, kept] = [
      await createTaskContext([]),
      await createTaskContext([], { cacheFolder }),
    ];
    await Promise.all([other, kept].map((context) => context.load(new Set([MODEL]))));
    const bare = other.bareFor(ref, MODEL);
    rmSync(once);
    expect(kept.bareFor(ref, MODEL)).toEqual(bare);
  });
});
