import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { sampleText } from '../../simulator/scenario/file/sample-scenario.ts';
import {
  boundary,
  call,
  prompt,
  result,
  say,
  step,
  summary,
  transcript,
} from '../../simulator/session/formats/claude-code-lines.ts';
import { createCommand } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const session =
  '{ calibration: { factor: 2, perMessage: 0 }, script: [user: 1, step: 5000, user: 1, step: 1] }';
const file = writeFile(createFolder(), 'calibrated.yaml', sampleText({ session }));
const minimize = createCommand('check minimize');
const wanted = (tokens: number) =>
  minimize([file, '--policy', 'none', '--expect', `peakContextTokens > ${tokens}`]);

it('goes on from a scenario with the calibration that it has', async () => {
  expect(await wanted(9_000)).toMatchObject({ code: EXIT.done });
  expect(await wanted(11_000)).toMatchObject({ code: EXIT.failed });
});

const turn = [prompt('x'), step('m1', call('t1')), result('t1')];
const compacted = transcript(...turn, boundary, summary, step('m2', say('b')));
const sessionOfMinimizeLost = writeFile(createFolder(), 'compacted.jsonl', compacted);
/** What the recording agent did stands in no scenario, whatever that keeps of its messages. */
const LOST = ['--policy', 'none', '--expect', 'recordedCompactions >= 1'];

it('says what there is where no scenario of the sizes shows it', async () => {
  const { code, stdout, stderr } = await minimize([sessionOfMinimizeLost, ...LOST]);
  expect({ code, stdout, stderr }).toEqual({
    code: EXIT.failed,
    stdout: '',
    stderr:
      'Expected the session to show recordedCompactions >= 1, got recordedCompactions 0 in a run that ends completed.\n',
  });
});

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(2));

it('says where the scenario is, which is no report', async () => {
  const out = join(folder, 'small.yaml');
  const argv = [chat, '--policy', 'none', '--expect', 'steps > 0', '--out', out];
  const { code, stdout, stderr } = await minimize(argv);
  expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: `Scenario: ${out}\n` });
  expect(stdout).toContain(readFileSync(out, 'utf8').trim());
});
