import { setImmediate } from 'node:timers/promises';
import type { Command } from '@commander-js/extra-typings';
import { badOption } from '../../simulator/errors.ts';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import { countOf as counted, formatCount } from '../../simulator/report/numbers.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import { type IssueFacts, renderIssue } from '../../simulator/sweep/minimize/issue-text.ts';
import { type Outline, sizeOf } from '../../simulator/sweep/minimize/outline.ts';
import type { Wanted } from '../../simulator/sweep/minimize/run-for.ts';
import { type SearchResult, searchMinimal } from '../../simulator/sweep/minimize/search.ts';
import type { Subject } from '../../simulator/sweep/minimize/subject.ts';
import {
  describeTarget,
  parseExpression,
  parseLaw,
  type Target,
} from '../../simulator/sweep/minimize/target.ts';
import { collect } from '../options/collect.ts';
import { withCounters } from '../options/counters.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { planSearch, type SearchPlanOptions, subjectOf } from '../run/minimize-plan.ts';
import {
  checkNoInput,
  checkOutPath,
  printNote,
  printNotes,
  settingFiles,
  writeDocument,
} from '../process/output.ts';
import { DEFAULT_MODEL, DEFAULT_SUMMARIZER } from '../options/plan-options.ts';
import { type ShowProgress, withProgress } from '../process/progress.ts';

/** What the command line says, as text. */
interface MinimizeOptions extends SearchPlanOptions {
  readonly violates?: string | undefined;
  readonly expect?: string | undefined;
  /** False where texts may be shown. */
  readonly redact: boolean;
  readonly out?: string | undefined;
}

const EXAMPLES = `
Examples:
  $ compaction-bench minimize session.json --policy opencode-1.2.16 --expect 'compactions > 3'
  $ compaction-bench minimize session.json --policy opencode-1.0.224 --violates newest-request-visible --out minimal.yaml
  $ compaction-bench minimize session.json --policy opencode-1.2.16 --expect 'state = refused' --set trueContextTokens=100000
  $ compaction-bench minimize session.json --adapter 'python3 compact.py' --violates calls-paired --out minimal.yaml

The issue goes to standard output, the scenario to '--out'. Ctrl-C ends the search with the smallest session so far;
its scenario, given as the file, goes on from there.
Exit codes: 1 where the session does not show it, 130 where the search was stopped, 0 otherwise.`;

/** Adds the command that shrinks a session to the smallest one that still shows something. */
export function addMinimizeCommand(
  program: Command,
  io: CliIo,
  onExit: (code: number) => void,
): void {
  program
    .command('minimize')
    .description('Shrink a session that breaks something to the smallest one that still breaks it.')
    .argument(
      '<file>',
      "a session (path#index where a file holds several), or a scenario of 'minimize' to go on from",
    )
    .option('--policy <name>', 'preset to replay it under')
    .option('--adapter <command>', 'your own compaction in its place; see docs/adapter.md')
    .option('--violates <law>', 'a law that must be broken')
    .option('--expect <expression>', "what must hold, as in 'compactions > 3'")
    .option('--model <provider/id>', 'model whose limits and prices apply', DEFAULT_MODEL)
    .option('--summarizer <name>', 'what writes summaries', DEFAULT_SUMMARIZER)
    .option('--set <key=value>', 'change a setting; can be repeated', collect)
    .option('--catalog <file>', "models.dev's api.json instead of the shipped catalog")
    .option('--seed <number>', 'seed of everything random', '1')
    .option(
      '--no-redact',
      'keep texts and tool names (default: only sizes, and well-known tool names)',
    )
    .option('--out <path>', 'write the scenario to a file')
    .addHelpText('after', EXAMPLES)
    .action(async (file, options) => onExit(await run(file, options, io)));
}

async function run(file: string, options: MinimizeOptions, io: CliIo): Promise<number> {
  const subject = subjectOf(options, io.signal);
  const target = parseTarget(options, subject);
  const { out } = options;
  checkOutPath(out);
  checkNoInput(out, [file, ...settingFiles(options)]);
  const found = await search({ ...options, file, subject, target }, io).catch((error: unknown) => {
    if (io.signal.aborted) return undefined;
    throw error;
  });
  if (found === undefined) return EXIT.interrupted;
  if (found.state !== 'found') {
    printNote(io, describeAbsence(found, target, options));
    return EXIT.failed;
  }
  io.stdout.write(renderIssue({ ...found, ...shownBy(options), target, model: options.model }));
  if (out !== undefined && !writeDocument(io, found.scenario, { path: out, what: 'Scenario' })) {
    return EXIT.failed;
  }
  if (!found.wasStopped) return EXIT.done;
  const next = out === undefined ? 'the scenario above, saved as a file,' : shownText(out);
  printNote(
    io,
    `The search was stopped; this is the smallest session so far. 'minimize' of ${next} goes on.`,
  );
  return EXIT.interrupted;
}

function parseTarget({ violates, expect }: MinimizeOptions, { laws }: Subject): Target {
  if (violates !== undefined && expect === undefined) return parseLaw(violates, laws);
  if (expect !== undefined && violates === undefined) return parseExpression(expect);
  throw badOption("Expected either '--violates LAW' or '--expect EXPRESSION'.");
}

async function search(
  options: MinimizeOptions & Wanted & { readonly file: string },
  io: CliIo,
): Promise<SearchResult> {
  const { file, subject, target } = options;
  return await withCounters(io, async (counters) => {
    const countOf = (id: string) => counters.of(id);
    const { notes, ...plan } = await planSearch(file, options, { countOf, env: io.env });
    printNotes(io, notes);
    const why = `Shrunk from a session that shows ${describeTarget(target)}.`;
    const searched = {
      ...plan,
      frame: { ...plan.frame, why },
      subject,
      target,
      withTexts: !options.redact,
      environment: { catalog: readCatalog(options.catalog), countOf },
      signal: io.signal,
    };
    return await withProgress(io, (show) => searchMinimal({ ...searched, onTry: tellTo(show) }));
  });
}

/** Tells how many steps are gone, and how many tries that took, for the last sizes take the most of them. */
function tellTo(show: ShowProgress) {
  let total: number | undefined;
  return async (smallest: Outline, tries: number): Promise<void> => {
    const { steps, tokens } = sizeOf(smallest);
    total ??= steps;
    const detail = `${counted(steps, 'step')}, ${counted(tokens, 'token')}, try ${formatCount(tries + 1)}`;
    show({ file: detail, detail, index: total - steps, total });
    // A try blocks; a signal is heard only between two of them.
    await setImmediate();
  };
}

/** What an issue says of who shows it, and how to see that. */
function shownBy({ policy = '', adapter }: MinimizeOptions): Pick<IssueFacts, 'name' | 'options'> {
  if (adapter === undefined) return { name: policy, options: ['--chart'] };
  return { name: adapter, options: ['--adapter', shellWord(adapter), '--chart'] };
}

/** A text as one word of a shell. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function describeAbsence(
  result: SearchResult,
  target: Target,
  { redact }: Pick<MinimizeOptions, 'redact'>,
): string {
  const wanted = `Expected the session to show ${describeTarget(target)}`;
  if (result.state === 'absent') return `${wanted}, got ${result.got}.`;
  const way = redact ? ": '--no-redact' keeps texts" : '';
  return `${wanted} in a scenario of its messages, got it only in the recording itself${way}.`;
}
