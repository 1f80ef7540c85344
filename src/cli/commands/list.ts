import type { Command } from '@commander-js/extra-typings';
import { HarnessError } from '../../simulator/errors.ts';
import { named, nearestNames, quoted } from '../../simulator/names.ts';
import { alignProse } from '../../simulator/report/align-prose.ts';
import { describeLeftOut, fitColumns } from '../../simulator/report/fit-columns.ts';
import { jsonText } from '../../simulator/report/json-text.ts';
import type { Origin } from '../../simulator/report/origin.ts';
import type { Terminal } from '../../simulator/report/report.ts';
import { joinSections } from '../../simulator/report/sections.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import { formatNames } from '../options/format-help.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import { type Listed, listedColumns, listings } from '../policies/listings.ts';

/** What was asked for of one kind. */
interface List {
  readonly kind: string;
  readonly items: readonly Listed[];
  readonly origin: Origin;
}

type Render = (list: List, terminal: Terminal) => string;

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
} satisfies Record<string, Render>;

/** Adds the command that lists what can be named on the command line. */
export function addListCommand(program: Command, io: CliIo, onExit: (code: number) => void): void {
  program
    .command('list')
    .description(`List what can be named: ${KINDS}.`)
    .argument('<kind>', `one of ${KINDS}`)
    .argument('[part]', 'only names that contain this')
    .option('--catalog <file>', "models.dev's api.json instead of the shipped catalog")
    .option('--format <name>', formatNames(renderers), 'table')
    .addHelpText('after', EXAMPLES)
    .action((kind, part, { catalog, format }) => {
      const render: Render = named('list format', renderers, format);
      const { items, origin } = named('list', listings, kind)(catalog);
      const list = { kind, items: choose(items, kind, part), origin };
      io.stdout.write(render(list, terminalOf(io)));
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
function renderLines({ kind, items }: List, terminal: Terminal): string {
  const rows = items.map(({ name, cells }) => [name, ...cells].map(shownText));
  const columns = listedColumns[kind] ?? (rows[0] ?? []).map(() => ({ title: '' }));
  const { table, leftOut } = fitColumns({ columns, rows }, terminal);
  return joinSections([
    alignProse(table.rows, terminal),
    describeLeftOut(leftOut, terminal, 'json'),
  ]);
}

function renderJson({ kind, items, origin }: List): string {
  const told = items.map(({ name, facts }) => ({ name, ...facts }));
  return jsonText({ origin, kind, items: told });
}
