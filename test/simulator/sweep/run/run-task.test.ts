import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planSweep } from '../../../../src/simulator/sweep/plan.ts';
import { createTaskContext } from '../../../../src/simulator/sweep/run/run-task.ts';
import { chatOf, createFolder, writeFile } from '../../../support/session-files.ts';

const folder = createFolder();
const file = writeFile(folder, 'chat.json', chatOf(2));

describe('createTaskContext', () => {
  it('takes no session that is another one than was planned, for its rows would not say so', async () => {
    const plan = await planSweep({ files: [file], cells: [], seeds: [1] });
    const { ref } = plan!.sessions[0]!;
    const [before, after] = [await createTaskContext([]), await createTaskContext([])];
    expect(() => before.check(ref)).not.toThrow();
    writeFileSync(file, chatOf(3));
    expect(() => after.check(ref)).toThrow('does not hold what the sweep was planned with');
    writeFileSync(file, chatOf(2));
    expect(() => after.check(ref)).not.toThrow();
  });
});
