import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import {
  boundary,
  call,
  prompt,
  result,
  say,
  step,
  summary,
  transcript,
} from '../../simulator/session/claude-lines.ts';
import { createCommand } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const turn = [prompt('x'), step('m1', call('t1')), result('t1')];
const compacted = transcript(...turn, boundary, summary, step('m2', say('b')));
const session = writeFile(createFolder(), 'compacted.jsonl', compacted);
const minimize = createCommand('minimize');

/** What the recording agent did stands in no scenario, whatever that keeps of its messages. */
const LOST = ['--policy', 'none', '--expect', 'recordedCompactions >= 1'];
const ONLY_THERE =
  'Expected the session to show recordedCompactions >= 1 in a scenario of its messages, got it only in the recording itself';

describe('minimize of what no scenario shows', () => {
  it.each<[string, readonly string[], string]>([
    ['advises to keep texts where they were left out', [], ": '--no-redact' keeps texts."],
    ['advises nothing where they were kept', ['--no-redact'], '.'],
  ])('%s', async (_, options, ending) => {
    const { code, stdout, stderr } = await minimize([session, ...LOST, ...options]);
    expect({ code, stdout, stderr }).toEqual({
      code: EXIT.failed,
      stdout: '',
      stderr: `${ONLY_THERE}${ending}\n`,
    });
  });
});
