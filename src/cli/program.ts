import { Command } from '@commander-js/extra-typings';
import { named } from '../simulator/lib/names.ts';
import { isGlob, kindOf } from '../simulator/session/files/folder.ts';
import { shownLines } from '../simulator/report/markup.ts';
import { ANSWER, commands, COMPLETE, OTHER_COMMANDS } from './commands.ts';
import { readVersion } from './package.ts';
import { type CliIo, columnsOf } from './process/io.ts';
import { cacheOption, noCacheOption } from './process/out-folder.ts';

interface ProgramOptions {
  /** Commands that are loaded; of the others there are names only. */
  readonly loaded: readonly string[];
  /** Told the exit code of the command that ran. */
  readonly onExit: (code: number) => void;
}

const EXAMPLES = `
Examples:
  $ compaction-bench --since 7d
  $ compaction-bench run sessions/ --policy none,opencode-1.2.16 --format json
  $ compaction-bench list policies
  $ compaction-bench list models sonnet`;

/** The command that helps with the others. */
const HELP = 'help';

/** Words that are the program's own and ask for no command. */
const OF_THE_PROGRAM: ReadonlySet<string> = new Set([HELP, '-h', '--help', '-V', '--version']);

/** Width of help where no terminal says another. */
const HELP_WIDTH = 100;
/** Narrowest that what is said of an option is wrapped to. */
const LEAST_WIDTH = 20;

/** A command line with the command that runs where none is named: of options alone, or of paths that exist. */
export function withDefaultCommand(argv: readonly string[]): readonly string[] {
  const isNamed = argv.some((argument) => Object.hasOwn(commands, argument));
  if (isNamed || argv.some((argument) => OF_THE_PROGRAM.has(argument))) return argv;
  const [first = '-'] = argv;
  const isAnswer = first.startsWith('-') || isGlob(first) || kindOf(first) !== undefined;
  return isAnswer ? [ANSWER, ...argv] : argv;
}

/** The commands that a command line may need. */
export function neededCommands(argv: readonly string[]): readonly string[] {
  const names = Object.keys(commands);
  if (argv[0] === COMPLETE) return names;
  const given = argv.filter((argument) => names.includes(argument));
  // An option, or `help`, stands before the command: which of the names is its own takes all of them to say.
  return given.length === 0 || given[0] === argv[0] ? given.slice(0, 1) : names;
}

/** The commands and their options. */
export async function createProgram(
  given: CliIo,
  { loaded, onExit }: ProgramOptions,
): Promise<Command> {
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
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: LEAST_WIDTH,
      subcommandTerm: (command) => command.name(),
    })
    .commandsGroup(OTHER_COMMANDS)
    .helpCommand(true)
    .addHelpText('before', ({ error, command }) => {
      if (error) checkHelped(command.args);
      return '';
    })
    .addHelpText('after', EXAMPLES);
  program
    .addOption(cacheOption())
    .addOption(noCacheOption())
    .option('-q, --quiet', 'hide progress and notes of success');
  const io = withGlobalOptions(given, program);
  for (const [name, { group, summary, load }] of Object.entries(commands)) {
    if (loaded.includes(name)) (await load())(program, io, onExit);
    else program.command(name);
    program.commands
      .find((command) => command.name() === name)
      ?.summary(summary)
      .helpGroup(group);
  }
  return program;
}

/** Throws where `help` names no command: the help of all would be no answer. */
function checkHelped([first, name]: readonly string[]): void {
  if (first === HELP && name !== undefined && name !== HELP) named('command', commands, name);
}

/** The options are known when the command line has been read. */
function withGlobalOptions(io: CliIo, program: Command): CliIo {
  return {
    ...io,
    get cache() {
      return program.opts();
    },
    get isQuiet() {
      const { quiet }: { readonly quiet?: true } = program.opts();
      return quiet === true;
    },
  };
}
