import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { createCommand } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(2));
const minimize = createCommand('minimize');

it('says where the scenario is, which is no report', async () => {
  const out = join(folder, 'small.yaml');
  const argv = [chat, '--policy', 'none', '--expect', 'steps > 0', '--out', out];
  const { code, stdout, stderr } = await minimize(argv);
  expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: `Scenario: ${out}\n` });
  expect(stdout).toContain(readFileSync(out, 'utf8').trim());
});
