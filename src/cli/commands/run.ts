import { badOption } from '../../simulator/lib/errors.ts';
import { RUN_FORMATS } from '../../simulator/report/run-formats.ts';
import { defineCommand } from '../command.ts';
import { runOptions, SESSION_INPUTS } from '../plan/options.ts';

const EXAMPLES = `
Examples:
  $ compaction-bench run
  $ compaction-bench run sessions/ --policy none,opencode-1.2.16,document-002
  $ compaction-bench run 'logs/**/*.jsonl' --set contextTokens=60000 --set protect=20000
  $ compaction-bench run session.json --policy opencode-1.2.16 --chart
  $ compaction-bench run scenarios/lost-rule.yaml
  $ compaction-bench run session.json --config opencode.json --out report.md
  $ compaction-bench run session.json --adapter 'python3 compact.py'
  $ compaction-bench run session.json --summarizer ai:openai/gpt-5-mini --dry-run`;

export const runCommand = defineCommand({
  name: 'run',
  describe: 'Replay recorded sessions under policies and report what compaction did to them.',
  arguments: {
    '[inputs...]': `${SESSION_INPUTS}; or one scenario: path, or path#name for a further run of it`,
  },
  options: runOptions(),
  examples: EXAMPLES,
  run: async ({ inputs }, options, call) => {
    const out = call.openReport(RUN_FORMATS, 'format');
    if (options.chart === true && out.name !== 'table')
      throw badOption("Expected '--chart' to come with '--format table', got another format.");
    const { reportRuns } = await import('../run-report.ts');
    return reportRuns(inputs, options, { ...call, out });
  },
});
