import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { readNamedFile } from '../../simulator/lib/files.ts';
import { factsAt } from '../../simulator/metrics/quality/live-facts.ts';
import type { Reader } from '../../simulator/metrics/probes/probe.ts';
import type { FactState } from '../../simulator/metrics/quality/fact-states.ts';
import { scoreText, withStates } from '../../simulator/metrics/quality/score-text.ts';
import { settleUnknown } from '../../simulator/metrics/quality/settle-unknown.ts';
import { usedStrings } from '../../simulator/metrics/quality/used-strings.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import { type ScoredText, scoreFormats } from '../../simulator/report/score.ts';
import type { PlantedFact } from '../../simulator/session/facts.ts';
import { readFacts } from '../../simulator/session/facts-file.ts';
import { loadNamed } from '../../simulator/session/load.ts';
import type { AnySummarizer } from '../../simulator/summarizer/summarizer.ts';
import { createModelReader } from '../../simulator/sweep/summarizers/run-arms.ts';
import { defineCommand, option, reportOptions } from '../command.ts';
import { nothingRead, withCounters } from '../inputs.ts';
import { ownOrigin } from '../origin.ts';
import {
  describeUnasked,
  modelOptions,
  printEstimates,
  reachModels,
  withSpent,
} from '../plan/models.ts';
import { openRegistry } from '../plan/live.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { printNote, printNotes } from '../process/output.ts';
import { findReader } from '../summarizer-rows.ts';

/** The facts by which texts are scored. */
interface Yardstick {
  readonly facts: readonly PlantedFact[];
  /** Strings that later steps use; absent where the facts say it. */
  readonly strings?: readonly string[];
}

type Scored = ScoredFile | UnreadInput;

/** A scored text with what was read. */
type ScoredFile = ScoredText & { readonly text: string };

/** Counts tokens of texts that belong to no model. */
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

/** Says what became of facts in texts. */
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
    ...reportOptions(scoreFormats),
    ...modelOptions,
  },
  examples: EXAMPLES,
  run: async ({ summaries }, options, { io, openReport }) => {
    const out = openReport(scoreFormats, 'score format');
    const { facts, session, reader } = options;
    out.checkInputs([...summaries, ...[facts, session].filter((file) => file !== undefined)]);
    const yardstick = readYardstick(facts, session);
    const registry = reader === undefined ? undefined : openRegistry(options, io.env).registry;
    const model = reader === undefined ? undefined : registry && findReader(reader, registry);
    printNotes(io, describeUnasked(options, reader === undefined ? [] : [reader]));
    const asking = registry && { registry, names: [reader ?? ''] };
    if (asking !== undefined) await reachModels(asking, io);
    const scored = await withSpent(
      asking && { ...asking.registry, spentOn: 'judgements' },
      io,
      () => scoreFiles(summaries, { yardstick, model }, io),
    );
    if (io.signal.aborted) return undefined;
    if (registry !== undefined && options.dryRun === true) {
      return printEstimates(io, registry, reader ?? '');
    }
    const texts = scored.filter((one) => 'score' in one);
    const unread = scored.filter((one) => 'reason' in one);
    if (texts.length === 0) throw nothingRead(unread);
    const report = { origin: ownOrigin(), facts: factsAt(yardstick.facts).live, texts, unread };
    const isWhole = unread.length === 0;
    return out.finish(out.format(report, out.terminal), isWhole ? EXIT.done : EXIT.failed);
  },
});

async function scoreFiles(
  files: readonly string[],
  {
    yardstick,
    model,
  }: { readonly yardstick: Yardstick; readonly model: AnySummarizer | undefined },
  io: CliIo,
): Promise<readonly Scored[]> {
  return withCounters(io, async (counters) => {
    const count = await counters.ofEncoding(ENCODING);
    const judge = model && createModelReader(model, { count, signal: io.signal });
    const scored: Scored[] = [];
    for (const file of files) {
      const one = scoreFile(file, yardstick, count);
      const isJudged = judge !== undefined && 'score' in one && !io.signal.aborted;
      scored.push(isJudged ? await judgeDoubts(one, { yardstick, judge }, io) : one);
    }
    return scored;
  });
}

/** Lets a model decide what rules leave in doubt; what it does not answer stays so, and is told. */
async function judgeDoubts(
  one: ScoredFile,
  { yardstick, judge }: { readonly yardstick: Yardstick; readonly judge: Reader },
  io: CliIo,
): Promise<ScoredFile> {
  const states = new Map<string, FactState>();
  const doubtful = one.score.facts.filter(({ state }) => state === 'unknown');
  for (const { id } of doubtful) {
    const fact = yardstick.facts.find((other) => other.id === id);
    if (fact === undefined) continue;
    const settled = await settleUnknown(judge, { text: one.text, fact });
    if (settled.state === 'settled') states.set(id, settled.is);
    else printNote(io, `${id} in ${one.file} stays in doubt: ${settled.reason}`);
  }
  return { ...one, score: withStates(one.score, states) };
}

function readYardstick(facts: string | undefined, session: string | undefined): Yardstick {
  if (facts !== undefined && session === undefined) return { facts: readFacts(facts) };
  if (facts !== undefined || session === undefined) {
    throw badOption("Expected either '--facts' or '--session', got both or neither.");
  }
  const { facts: planted = [], messages } = loadNamed(session);
  if (planted.length > 0) return { facts: planted };
  return { facts: [], strings: usedStrings(messages).map(({ value }) => value) };
}

function scoreFile(file: string, yardstick: Yardstick, count: (text: string) => number): Scored {
  try {
    const text = readNamedFile(file);
    return { file, text, score: scoreText({ text, ...yardstick }), tokens: count(text) };
  } catch (error) {
    if (error instanceof HarnessError) return { file, reason: error.message };
    throw error;
  }
}
