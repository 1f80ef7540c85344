import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { charsEstimator } from '../../src/simulator/session/statistics/sample.ts';
import {
  call,
  prompt,
  result,
  say,
  step,
  transcript,
} from '../simulator/session/formats/claude-code-lines.ts';
import { captureIo } from '../support/captured-io.ts';
import { createFolder, writeFile } from '../support/session-files.ts';
import { describeFiles } from '../../src/cli/commands/stats.ts';

const folder = createFolder();
const beginning = [prompt('Is the kettle on?'), step('m1', call('c1')), result('c1')];
const text = transcript(...beginning, step('m2', say('It is off.')));
const longer = transcript(...beginning, step('m3', say('It is on.')), prompt('Pour.'));

describe('describeFiles', () => {
  it('takes nothing off a session of another content than the one that was looked at first', async () => {
    const fork = writeFile(folder, 'fork.jsonl', text.replaceAll('"kettle"', '"fork"'));
    const old = writeFile(folder, 'old.jsonl', longer);
    const nameOf = (path: string) => {
      // The fork has been read when the other one is named.
      if (path === old) writeFileSync(fork, transcript(prompt('Where is the cup now?')));
      return path;
    };
    const inputs = { files: [fork, old], unread: [], nameOf, pathOf: (shown: string) => shown };
    const statistics = await describeFiles(inputs, charsEstimator, captureIo());
    expect(statistics?.shared).toMatchObject([{ name: fork, sharedWith: old }]);
    // The call that both begin with.
    expect(statistics?.overall.tools['Read']?.calls).toBe(2);
    const reason = `Expected '${fork}' to stay as it was while it was read; what it shares is counted twice.`;
    expect(statistics?.unread).toEqual([{ file: fork, reason }]);
  });
});
