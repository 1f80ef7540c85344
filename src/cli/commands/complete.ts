import tab from '@bomb.sh/tab/commander';
import type { Command } from '@commander-js/extra-typings';
import type { Command as PlainCommand } from 'commander';

const EXAMPLES = `
Examples:
  $ source <(compaction-bench complete bash)
  $ compaction-bench complete zsh > ~/.zsh/completions/_compaction-bench
  $ compaction-bench complete fish > ~/.config/fish/completions/compaction-bench.fish`;

/** Adds the command that teaches a shell the other commands and their options, which are to be there already. */
export function addCompleteCommand(program: Command): void {
  tab(program as unknown as PlainCommand);
  program.commands.find((command) => command.name() === 'complete')?.addHelpText('after', EXAMPLES);
}
