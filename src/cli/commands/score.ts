import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { readNamedFile } from '../../simulator/lib/files.ts';
import { factsAt } from '../../simulator/metrics/quality/live-facts.ts';
import { scoreText } from '../../simulator/metrics/quality/score-text.ts';
import { usedStrings } from '../../simulator/metrics/quality/used-strings.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import { type ScoredText, scoreFormats } from '../../simulator/report/score.ts';
import type { PlantedFact } from '../../simulator/session/facts.ts';
import { readFacts } from '../../simulator/session/facts-file.ts';
import { loadNamed } from '../../simulator/session/load.ts';
import { defineCommand, option, reportOptions } from '../command.ts';
import { nothingRead, withCounters } from '../inputs.ts';
import { ownOrigin } from '../origin.ts';
import { EXIT } from '../process/io.ts';

/** What texts are scored by. */
interface Yardstick {
  readonly facts: readonly PlantedFact[];
  /** Strings that later steps use; absent where the facts say it. */
  readonly strings?: readonly string[];
}

type Scored = ScoredText | UnreadInput;

/** Counts tokens of texts that belong to no model. */
const ENCODING = 'o200k_base';

const EXAMPLES = `
Examples:
  $ compaction-bench score summary.md --facts facts.yaml
  $ compaction-bench score before.md after.md --facts facts.json --format json
  $ compaction-bench score summary.md --session generated/session-1.jsonl

A file of facts is a list of { kind, subject, value, polarity }; sentence, aliases and previous are optional.
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
    ...reportOptions(scoreFormats),
  },
  examples: EXAMPLES,
  run: async ({ summaries }, options, { io, openReport }) => {
    const out = openReport(scoreFormats, 'score format');
    const { facts, session } = options;
    out.checkInputs([...summaries, ...[facts, session].filter((file) => file !== undefined)]);
    const yardstick = readYardstick(facts, session);
    const scored = await withCounters(io, async (counters) => {
      const count = await counters.ofEncoding(ENCODING);
      return summaries.map((file) => scoreFile(file, yardstick, count));
    });
    const texts = scored.filter((one) => 'score' in one);
    const unread = scored.filter((one) => 'reason' in one);
    if (texts.length === 0) throw nothingRead(unread);
    const report = { origin: ownOrigin(), facts: factsAt(yardstick.facts).live, texts, unread };
    return out.finish(
      out.format(report, out.terminal),
      unread.length > 0 ? EXIT.failed : EXIT.done,
    );
  },
});

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
    return { file, score: scoreText({ text, ...yardstick }), tokens: count(text) };
  } catch (error) {
    if (error instanceof HarnessError) return { file, reason: error.message };
    throw error;
  }
}
