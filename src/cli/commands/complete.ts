import { ShellCompDirective } from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Command as PlainCommand } from 'commander';
import type { CliIo } from '../process/io.ts';

/** Registered anew, so that bash goes on to file names where nothing else fits. */
const BASH_FILES = 'complete -o default -F __compaction_bench_complete compaction-bench\n';

const EXAMPLES = `
Examples:
  $ source <(compaction-bench complete bash)
  $ compaction-bench complete zsh > ~/.zsh/completions/_compaction-bench
  $ compaction-bench complete fish > ~/.config/fish/completions/compaction-bench.fish`;

export function addCompleteCommand(program: CommandUnknownOpts, io: CliIo) {
  completeFiles(tab(program as unknown as PlainCommand));
  const command = program.commands.find((one) => one.name() === 'complete');
  const parsed = program as unknown as { readonly rawArgs: readonly string[] };
  command?.addHelpText('after', EXAMPLES).hook('postAction', (_, { args }) => {
    if (args[0] === 'bash' && !parsed.rawArgs.includes('--')) io.stdout.write(BASH_FILES);
  });
}

/** The library forbids file names everywhere; most of what is typed here are some. */
function completeFiles(root: ReturnType<typeof tab>) {
  const { ShellCompDirectiveDefault, ShellCompDirectiveNoFileComp } = ShellCompDirective;
  Object.defineProperty(root, 'directive', {
    get: () =>
      root.completions.length === 0 ? ShellCompDirectiveDefault : ShellCompDirectiveNoFileComp,
    set: () => {},
  });
}
