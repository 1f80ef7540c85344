import { expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { sampleText } from '../../simulator/scenario/file/sample-scenario.ts';
import { createCommand } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const session =
  '{ calibration: { factor: 2, perMessage: 0 }, script: [user: 1, step: 5000, user: 1, step: 1] }';
const file = writeFile(createFolder(), 'calibrated.yaml', sampleText({ session }));
const minimize = createCommand('minimize');

const wanted = (tokens: number) =>
  minimize([file, '--policy', 'none', '--expect', `peakContextTokens > ${tokens}`]);

it('goes on from a scenario with the calibration that it has', async () => {
  expect(await wanted(9_000)).toMatchObject({ code: EXIT.done });
  expect(await wanted(11_000)).toMatchObject({ code: EXIT.failed });
});
