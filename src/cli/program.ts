import { Command, type CommandUnknownOpts, Help } from '@commander-js/extra-typings';
import { badOption } from '../simulator/lib/errors.ts';
import { isMisspelt, unknownName } from '../simulator/lib/names.ts';
import { isGlob, kindOf } from '../simulator/session/files/folder.ts';
import { shownLines } from '../simulator/report/markup.ts';
import {
  ANSWER,
  type CommandEntry,
  commands,
  COMPLETE,
  HEADINGS,
  OTHER_COMMANDS,
} from './commands.ts';
import { readVersion } from './package.ts';
import { type CliIo, columnsOf } from './process/io.ts';
import { CACHE_VARIABLE } from './process/out-folder.ts';

const EXAMPLES = `
Examples:
  $ compaction-bench --since 7d
  $ compaction-bench run sessions/ --policy none,opencode-1.2.16 --format json
  $ compaction-bench list policies
  $ compaction-bench list models sonnet`;

const HELP = 'help';
const RARE_OPTIONS =
  /^--(?:anonymous|answer-timeout|base|catalog|closed-loop|context|events|judge|max-failures|queue|reader|rows|seed|shard|tier|trials|with-text)$/;
const OF_THE_PROGRAM: ReadonlySet<string> = new Set([HELP, '-h', '--help', '-V', '--version']);
const HELP_WIDTH = 100;
const LEAST_WIDTH = 20;

/** A command line with the command that runs where none is named, and help as an option. */
export function completeArguments(argv: readonly string[]) {
  const [first = '-', ...rest] = argv;
  if (first === HELP && rest.length > 0) return [...rest, '--help'];
  const isNamed = argv.some((argument) => Object.hasOwn(commands, argument));
  if (isNamed || argv.some((argument) => OF_THE_PROGRAM.has(argument))) return argv;
  const isAnswer = first.startsWith('-') || isGlob(first) || kindOf(first) !== undefined;
  return isAnswer ? [ANSWER, ...argv] : argv;
}

/** The commands to load, by the words before the first option that is not of all commands. */
export function neededCommands([first = '', second]: readonly string[]) {
  if (first === COMPLETE) return Object.keys(commands);
  return [`${first} ${second}`, first].filter((name) => Object.hasOwn(commands, name)).slice(0, 1);
}

export async function createProgram(
  given: CliIo,
  { argv, onExit }: { argv: readonly string[]; onExit: (code: number) => void },
) {
  const isShort = argv.includes('-h') && !argv.includes('--help');
  const program: Command = new Command('compaction-bench')
    .description('Measures what context compaction does to sessions of LLM agents.')
    .version(readVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => given.stdout.write(text),
      writeErr: (text) => given.stderr.write(shownLines(text)),
      getOutHelpWidth: () => columnsOf(given.stdout) ?? HELP_WIDTH,
      getErrHelpWidth: () => columnsOf(given.stderr) ?? HELP_WIDTH,
    })
    .helpOption('-h, --help', 'show the usual options (-h), or all (--help)')
    .configureHelp({
      showGlobalOptions: !isShort,
      ...(isShort && { visibleOptions: listUsualOptions }),
      minWidthToWrap: LEAST_WIDTH,
      subcommandTerm: (command) => command.name(),
    })
    .commandsGroup(OTHER_COMMANDS)
    .helpCommand(true)
    .addHelpText('before', ({ command }) => {
      refuseUnknown(command.args);
      return '';
    })
    .addHelpText('after', EXAMPLES)
    .addHelpText('afterAll', isShort ? '\n--help shows all options.' : '')
    .on('command:*', refuseUnknown);
  program
    .option(
      '--cache <folder>',
      `keep sizes and runs of sessions there (default: ${CACHE_VARIABLE}, else ~/.cache)`,
    )
    .option('--no-cache', 'keep nothing between runs')
    .option('-q, --quiet', 'hide progress and notes of success');
  const { operands } = program.parseOptions([...argv]);
  refuseSlip(operands);
  const loaded = neededCommands(operands);
  const io = withGlobalOptions(given, program);
  for (const [name, entry] of Object.entries(commands)) {
    const { summary, load } = entry;
    const [group = ''] = Object.keys(HEADINGS).filter((one) => HEADINGS[one]?.includes(name));
    const [first = name, own = first] = name.split(' ');
    const parent = own === first ? program : findCommand(program, first);
    if (load !== undefined && loaded.includes(name)) (await load())(parent, io, onExit);
    else addName(parent, [name, entry], own);
    findCommand(parent, own).summary(summary).helpGroup(group);
  }
  return program;
}

function listUsualOptions(command: CommandUnknownOpts) {
  return new Help()
    .visibleOptions(command)
    .filter(
      ({ long, mandatory, helpGroupHeading }) =>
        mandatory || (helpGroupHeading === undefined && !RARE_OPTIONS.test(long ?? '')),
    );
}

function findCommand(parent: CommandUnknownOpts, name: string) {
  const found = parent.commands.find((command) => command.name() === name);
  if (found === undefined) throw new Error(`Expected the command ${name} before what is below it.`);
  return found;
}

function addName(
  parent: CommandUnknownOpts,
  [name, { summary, load }]: readonly [string, CommandEntry],
  own: string,
) {
  const command = parent.command(own);
  if (name !== own) {
    command.allowUnknownOption().allowExcessArguments();
    command.action(() => {
      throw badOption(`Expected '${name}' before all options; a file of that name is './${own}'.`);
    });
  } else if (load === undefined) {
    command
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .helpCommand(false);
    command.on('command:*', ([word]) => refuseUnknown([`${name} ${word}`]));
  }
}

function refuseUnknown([first = HELP]: readonly string[]) {
  if (first === HELP || first.startsWith('-') || Object.hasOwn(commands, first)) return;
  throw unknownName('command', commands, first);
}

function refuseSlip([first = '', word = '']: readonly string[]) {
  const given = `${first} ${word}`;
  if (Object.hasOwn(commands, given) || isGlob(word) || kindOf(word) !== undefined) return;
  const below = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  if (below.some((name) => isMisspelt(given, name))) throw unknownName('command', commands, given);
}

function withGlobalOptions(io: CliIo, program: Command) {
  return {
    ...io,
    get cache() {
      return program.opts();
    },
    get isQuiet() {
      const { quiet }: { quiet?: true } = program.opts();
      return quiet === true;
    },
  };
}
