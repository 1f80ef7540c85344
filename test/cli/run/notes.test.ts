import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(3));
const empty = writeFile(folder, 'opencode.json', '{}');

const WINDOW = ['--set', 'contextTokens=64k'];

/** Each command that replays sessions on a model. */
const commands: readonly (readonly [name: string, argv: readonly string[]])[] = [
  ['run', ['run', chat]],
  ['explain', ['explain', chat, '--policy', 'opencode-1.2.16']],
  ['compare', ['compare', 'none', 'opencode-1.2.16', chat]],
  ['whatif', ['whatif', chat]],
  ['sweep', ['sweep', chat, '--vary', 'protect=1k,2k', '--jobs', '1']],
  ['tune', ['tune', chat, '--vary', 'protect=1k,2k', '--jobs', '1', '--hold-out', '0']],
  ['summarizers', ['summarizers', chat, '--summarizers', 'lead', '--repeat', '1']],
  ['minimize', ['minimize', chat, '--policy', 'none', '--expect', 'state=completed']],
];

const notes = async (argv: readonly string[]) => {
  const { stderr } = await callMain(argv);
  return stderr.split('\n').filter((line) => line.startsWith('Note:'));
};

describe.each(commands)('%s', (_, argv) => {
  it('tells which model of the catalog a name most likely means that it lacks', async () => {
    expect(await notes([...argv, '--model', 'openai/gpt-4oo', ...WINDOW])).toEqual([
      "Note: The catalog has no model 'openai/gpt-4oo', so that it has the window that was given and no prices; nearest: openai/gpt-4o.",
    ]);
  });

  it('tells of a model that the catalog lacks of a provider that it knows', async () => {
    expect(await notes([...argv, '--model', 'openai/something-else', ...WINDOW])).toEqual([
      "Note: The catalog has no model 'openai/something-else', so that it has the window that was given and no prices.",
    ]);
  });

  it.each(['local/small', 'openai/gpt-4o'])('says nothing of %s', async (model) => {
    expect(await notes([...argv, '--model', model, ...WINDOW])).toEqual([]);
  });
});

describe('options of real models', () => {
  const asking = commands.filter(([name]) => name !== 'explain' && name !== 'minimize');

  it.each(asking)('are told by %s where none is asked', async (_, argv) => {
    expect(await notes([...argv, '--budget-usd', '2', '--cassette-mode', 'strict'])).toEqual([
      "Note: '--budget-usd' and '--cassette-mode' change nothing: no real model is asked.",
    ]);
  });
});

describe('a configuration that says nothing of compaction', () => {
  // A search takes its settings one by one.
  const withConfig = commands.filter(([name]) => name !== 'minimize');
  const limits = writeFile(folder, 'limits.json', '[{ "context": 200000, "output": 8192 }]');
  const doctors: typeof commands = [
    ['doctor', ['doctor', '--policy', 'opencode-1.2.16']],
    ['doctor --limits', ['doctor', '--policy', 'opencode-1.2.16', '--limits', limits]],
  ];

  it.each([...withConfig, ...doctors])('is told by %s', async (_, argv) => {
    const told = await notes([...argv, '--config', empty]);
    expect(told).toEqual([
      expect.stringMatching(/opencode\.json' says nothing of compaction, so that all settings/),
    ]);
  });

  it.each([...withConfig, ...doctors])('is told by %s beside other settings', async (_, argv) => {
    const told = await notes([...argv, '--config', empty, '--set', 'guardTurns=3']);
    expect(told).toEqual([
      expect.stringMatching(/opencode\.json' says nothing of compaction, so that all other/),
    ]);
  });

  it('is not told where only what goes wrong is wanted', async () => {
    const { code, stderr } = await callMain(['run', chat, '--config', empty, '--quiet']);
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
  });
});
