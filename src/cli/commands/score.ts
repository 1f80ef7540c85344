import { badOption, HarnessError, unlessWrongInput } from '../../simulator/lib/errors.ts';
import { readNamedFile } from '../../simulator/lib/files.ts';
import { known } from '../../simulator/lib/collections.ts';
import { factsAt } from '../../simulator/session/facts.ts';
import {
  countLabels,
  type Decided,
  decideFacts,
  type ScoreOptions,
  scoreText,
} from '../../simulator/metrics/quality/score-text.ts';
import { usedStrings } from '../../simulator/metrics/quality/used-strings.ts';
import { countOf } from '../../simulator/report/numbers.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import { type ScoreReport, scoreFormats } from '../../simulator/report/score.ts';
import { readFacts } from '../../simulator/session/facts-file.ts';
import { loadNamed } from '../../simulator/session/load.ts';
import type { AnySummarizer } from '../../simulator/summarizer/summarizer.ts';
import { createModelReader } from '../../simulator/sweep/summarizers/run-arms.ts';
import { createCounters } from '../../simulator/tokens/tokenizer.ts';
import { defineCommand, option, reportOptions } from '../command.ts';
import { nothingRead } from '../inputs.ts';
import { ownOrigin } from '../package.ts';
import { openRegistry } from '../plan/live.ts';
import { describeUnasked, printEstimates, reachModels, withSpent } from '../plan/models.ts';
import { type CliIo, EXIT, printNote, printNotes } from '../process/io.ts';
import { findDeciders, JUDGE_DESCRIBED } from '../summarizer-rows.ts';
import { modelOptions } from '../plan/options.ts';

type Models = ReturnType<typeof findDeciders>;
type Yardstick = Pick<ScoreOptions, 'facts' | 'strings'>;

const ENCODING = 'o200k_base';

const EXAMPLES = `
Examples:
  $ compaction-bench summarizers score summary.md --facts facts.yaml
  $ compaction-bench summarizers score before.md after.md --facts facts.json --format json
  $ compaction-bench summarizers score summary.md --facts facts.yaml --reader ai:openai/gpt-5-mini
  $ compaction-bench summarizers score summary.md --session generated/session-1.jsonl

A file of facts is a list of { kind, subject, value, polarity }; sentence, aliases, previous and todoState are optional.
A session without planted facts says only which strings its later steps use.

Exit codes: 2 where no text could be read, 1 where one of several could not, 0 otherwise.`;

export const scoreCommand = defineCommand({
  name: 'score',
  describe:
    'Say of each fact what became of it in a summary: kept, wrong, contradicted, stale or lost.',
  arguments: { '<summaries...>': 'text files' },
  options: {
    facts: option('--facts <file>', 'facts that the texts should keep, as JSON or YAML'),
    session: option(
      '--session <file>',
      'session with planted facts, or with steps that use strings again',
    ),
    reader: option('--reader <name>', 'real model that decides what rules leave in doubt'),
    judge: option('--judge <name>', JUDGE_DESCRIBED),
    ...reportOptions(scoreFormats),
    ...modelOptions,
  },
  examples: EXAMPLES,
  run: async ({ summaries }, options, { io, openReport }) => {
    const out = openReport(scoreFormats, 'score format');
    const { facts, session } = options;
    out.checkInputs([...summaries, ...[facts, session].filter((file) => file !== undefined)]);
    const yardstick = readYardstick(facts, session);
    const names = [options.reader, options.judge].filter((name) => name !== undefined);
    const registry = names.length === 0 ? undefined : openRegistry(options, io.env).registry;
    const models = registry && findDeciders(options, registry);
    printNotes(io, describeUnasked(options, names));
    if (registry !== undefined) await reachModels(registry, names, io);
    const scored = await withSpent(registry && { ...registry, spentOn: 'judgements' }, io, () =>
      scoreFiles(summaries, { yardstick, models }, io),
    );
    if (io.signal.aborted) return undefined;
    if (registry !== undefined && options.dryRun === true)
      return printEstimates(io, registry, names.join());
    const { texts, unread } = scored;
    if (texts.length === 0) throw nothingRead(unread);
    const { live } = factsAt(yardstick.facts);
    const report = { origin: ownOrigin(), facts: live, ...scored };
    const shown = out.format(report, out.terminal);
    return out.finish(shown, unread.length === 0 ? EXIT.done : EXIT.failed);
  },
});

function readYardstick(facts: string | undefined, session: string | undefined) {
  if (facts !== undefined && session === undefined) return { facts: readFacts(facts) };
  if (facts !== undefined || session === undefined)
    throw badOption("Expected either '--facts' or '--session', got both or neither.");
  const { facts: planted = [], messages } = loadNamed(session);
  if (planted.length > 0) return { facts: planted };
  return { facts: [], strings: usedStrings(messages).map(({ value }) => value) };
}

async function scoreFiles(
  files: readonly string[],
  { yardstick, models }: { yardstick: Yardstick; models?: Models | undefined },
  io: CliIo,
): Promise<Pick<ScoreReport, 'texts' | 'unread' | 'judge'>> {
  const counters = createCounters();
  const count = await counters.ofEncoding(ENCODING);
  const ask = (model: AnySummarizer | undefined) =>
    model && createModelReader(model, { count, signal: io.signal });
  const [judge, reader] = [ask(models?.judge), ask(models?.reader)];
  const decided: Decided[] = [];
  const texts: ScoreReport['texts'][number][] = [];
  const unread: UnreadInput[] = [];
  for (const file of files) {
    const text = unlessWrongInput(() => readNamedFile(file));
    if (text instanceof HarnessError) {
      unread.push({ file, reason: text.message });
      continue;
    }
    const { facts } = yardstick;
    const byRules = scoreText({ text, ...yardstick });
    const deciders = io.signal.aborted ? {} : { judge, reader };
    const found = await decideFacts(byRules, { text, facts, ...deciders });
    if (judge === undefined && found.fault !== undefined)
      printNote(io, `${countOf(found.open, 'fact')} in ${file} left in doubt: ${found.fault}`);
    decided.push(found);
    texts.push({ file, score: found.score, tokens: count(text) });
  }
  return { texts, unread, ...known({ judge: judge && countLabels(judge, decided) }) };
}
