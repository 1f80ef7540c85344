import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { commands, HEADINGS } from '../../src/cli/commands.ts';
import { EXIT } from '../../src/cli/process/io.ts';
import { createProgram, neededCommands, completeArguments } from '../../src/cli/program.ts';
import { captureIo } from '../support/captured-io.ts';

const names = Object.keys(commands);
/** The name of a command behind that of the one above it. */
const nameOf = (command: CommandUnknownOpts) =>
  command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();

describe('neededCommands', () => {
  it.each<[argv: string, needed: readonly string[]]>([
    ['', []],
    ['rn', []],
    ['run', ['run']],
    ['run list', ['run']],
    ['sessions stats', ['sessions stats']],
    ['sweep worker', ['sweep worker']],
    ['sweep sessions.json worker', ['sweep']],
    ['sweep ./worker', ['sweep']],
    ['complete bash', names],
  ])('loads what "%s" needs', (argv, needed) => {
    expect(neededCommands(argv.split(' ').filter((argument) => argument !== ''))).toEqual(needed);
  });
});

describe('completeArguments', () => {
  it.each<[argv: readonly string[], full: readonly string[]]>([
    [[], ['answer']],
    [
      ['--since', '7d'],
      ['answer', '--since', '7d'],
    ],
    [[import.meta.dirname], ['answer', import.meta.dirname]],
    [['logs/*.jsonl'], ['answer', 'logs/*.jsonl']],
    [['rnu'], ['rnu']],
    [['run'], ['run']],
    [
      ['-q', 'run'],
      ['-q', 'run'],
    ],
    [['--help'], ['--help']],
    [['help'], ['help']],
    [
      ['help', 'sweep', 'worker'],
      ['sweep', 'worker', '--help'],
    ],
  ])('makes %o to %o', (argv, full) => {
    expect(completeArguments(argv)).toEqual(full);
  });
});

describe('createProgram', () => {
  it('knows every command by its name, loaded or not', async () => {
    for (const argv of [[], ['complete']]) {
      const program = await createProgram(captureIo(), { argv, onExit: () => EXIT.done });
      const all = program.commands.flatMap((command) => [command, ...command.commands]);
      expect(all.map(nameOf)).toEqual(names);
      expect(all.every((command) => command.summary() !== '')).toBe(true);
    }
  });

  it('has the same help whether commands are loaded or not', async () => {
    const [bare, whole] = await Promise.all(
      [[], ['complete']].map((argv) =>
        createProgram(captureIo(), { argv, onExit: () => EXIT.done }),
      ),
    );
    expect(bare?.helpInformation()).toBe(whole?.helpInformation());
  });

  it('lists commands by what they are for, the one that helps among the last', async () => {
    const program = await createProgram(captureIo(), { argv: [], onExit: () => EXIT.done });
    const headings = Object.keys(HEADINGS);
    const shown = program.helpInformation().match(/^\S.*:$/gm);
    expect(shown).toEqual(['Options:', ...headings]);
    expect(program.helpInformation()).toMatch(/\nMore:(?:\n {2}.*)*\n {2}help /);
  });

  it('keeps what only real models need apart from the options of a command', async () => {
    const program = await createProgram(captureIo(), { argv: ['run'], onExit: () => EXIT.done });
    const help = program.commands.find((command) => command.name() === 'run')?.helpInformation();
    expect(help?.match(/^\S.*:$/gm)).toEqual([
      'Arguments:',
      'Options:',
      'Real models:',
      'Global Options:',
    ]);
    expect(help).toMatch(/-h, --help.*\n\nReal models:\n {2}--base-url/);
  });
});
