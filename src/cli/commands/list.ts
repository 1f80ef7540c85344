import type { Command } from '@commander-js/extra-typings';
import { HarnessError } from '../../simulator/errors.ts';
import { named, nearestNames, quoted } from '../../simulator/names.ts';
import { alignRows } from '../../simulator/report/align-rows.ts';
import { jsonText } from '../../simulator/report/json-text.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { type Listed, listings } from '../policies/listings.ts';

const KINDS = Object.keys(listings).join(', ');

const EXAMPLES = `
Examples:
  $ compaction-bench list policies
  $ compaction-bench list models sonnet
  $ compaction-bench list settings --format json`;

/** How a list can be printed, by name. */
const renderers = {
  table: renderLines,
  json: renderJson,
} satisfies Record<string, (listed: readonly Listed[]) => string>;

/** Adds the command that lists what can be named on the command line. */
export function addListCommand(program: Command, io: CliIo, onExit: (code: number) => void): void {
  program
    .command('list')
    .description(`List what can be named: ${KINDS}.`)
    .argument('<kind>', `one of ${KINDS}`)
    .argument('[part]', 'only names that contain this')
    .option('--catalog <file>', "models.dev's api.json instead of the shipped catalog")
    .option('--format <name>', 'table or json', 'table')
    .addHelpText('after', EXAMPLES)
    .action((kind, part, { catalog, format }) => {
      const render = named('list format', renderers, format);
      const listed = named('list', listings, kind)(catalog);
      io.stdout.write(render(choose(listed, kind, part)));
      onExit(EXIT.done);
    });
}

function choose(listed: readonly Listed[], kind: string, part = ''): readonly Listed[] {
  const wanted = part.toLowerCase();
  const chosen = listed.filter(({ name }) => name.toLowerCase().includes(wanted));
  if (chosen.length > 0) return chosen;
  const names = listed.map(({ name }) => name);
  throw new HarnessError(
    'UNKNOWN_NAME',
    `None of the ${kind} has ${quoted(part)} in its name. Nearest: ${nearestNames(part, names).join(', ')}.`,
  );
}

/** A line each, its cells below each other. */
function renderLines(listed: readonly Listed[]): string {
  const rows = listed.map(({ name, cells }) => [name, ...cells].map(shownText));
  return `${alignRows(rows, () => true)}\n`;
}

function renderJson(listed: readonly Listed[]): string {
  return jsonText(listed.map(({ name, facts }) => ({ name, ...facts })));
}
