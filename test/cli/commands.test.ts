import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { EXIT } from '../../src/cli/process/io.ts';
import { createProgram, neededCommands, withDefaultCommand } from '../../src/cli/program.ts';
import { captureIo } from '../support/captured-io.ts';

const names = Object.keys(commands);

describe('neededCommands', () => {
  it.each<[argv: string, needed: readonly string[]]>([
    ['', []],
    ['--help', []],
    ['--version', []],
    ['rn', []],
    ['run', ['run']],
    ['run list', ['run']],
    ['stats --help', ['stats']],
    ['help run', names],
    ['--cache list run', names],
  ])('loads what "%s" may need', (argv, needed) => {
    expect(neededCommands(argv.split(' ').filter((argument) => argument !== ''))).toEqual(needed);
  });
});

describe('withDefaultCommand', () => {
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
  ])('makes %o to %o', (argv, full) => {
    expect(withDefaultCommand(argv)).toEqual(full);
  });
});

describe('createProgram', () => {
  it('knows every command by its name, loaded or not', async () => {
    for (const loaded of [[], names]) {
      const program = await createProgram(captureIo(), { loaded, onExit: () => EXIT.done });
      expect(program.commands.map((command) => command.name())).toEqual(names);
      expect(program.commands.every((command) => command.summary() !== '')).toBe(true);
    }
  });

  it('has the same help whether commands are loaded or not', async () => {
    const [bare, whole] = await Promise.all(
      [[], names].map((loaded) => createProgram(captureIo(), { loaded, onExit: () => EXIT.done })),
    );
    expect(bare?.helpInformation()).toBe(whole?.helpInformation());
  });

  it('lists commands by what they are for, the one that helps among the last', async () => {
    const program = await createProgram(captureIo(), { loaded: [], onExit: () => EXIT.done });
    const headings = [...new Set(Object.values(commands).map(({ group }) => group))];
    const shown = program.helpInformation().match(/^\S.*:$/gm);
    expect(shown).toEqual(['Options:', ...headings]);
    expect(program.helpInformation()).toMatch(/\nMore:(?:\n {2}.*)*\n {2}help /);
  });

  it('keeps what only real models need apart from the options of a command', async () => {
    const program = await createProgram(captureIo(), { loaded: names, onExit: () => EXIT.done });
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
