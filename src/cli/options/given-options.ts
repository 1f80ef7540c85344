import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** The options that the command line itself gives a command, with their dashes, in the order of its help. */
export function givenOptions(command: CommandUnknownOpts): readonly string[] {
  return command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .map(({ long, flags }) => long ?? flags);
}
