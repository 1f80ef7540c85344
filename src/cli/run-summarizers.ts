import { setImmediate } from 'node:timers/promises';
import { SCORER_VERSION } from '../simulator/metrics/quality/score-text.ts';
import type { UnreadInput } from '../simulator/report/report.ts';
import type { SummaryRow } from '../simulator/report/summarizers/summary-row.ts';
import type { SummarizersProvenance } from '../simulator/report/summarizers/summarizers-report.ts';
import { rowKey } from '../simulator/sweep/summarizers/comparable.ts';
import { type ArmsBench, runArms } from '../simulator/sweep/summarizers/run-arms.ts';
import { prepareScenario } from '../simulator/sweep/summarizers/scenario.ts';
import { tokenizerOf } from '../simulator/tokens/tokenizer-of.ts';
import { openCounters } from './counters.ts';
import type { CliIo } from './io.ts';
import { readVersion } from './package-files.ts';
import { createProgress } from './progress.ts';
import type { SummaryInputs } from './summarizer-sessions.ts';

/** What is run, and with what besides. */
export interface SummarizersRun {
  readonly bench: Omit<ArmsBench, 'known' | 'signal'>;
  readonly inputs: SummaryInputs;
  /** Rows that are there already. */
  readonly rows: readonly SummaryRow[];
  /** Told each new row. */
  readonly onRow: (row: SummaryRow) => void;
}

/** What came of it. */
export interface SummarizersFindings {
  readonly rows: readonly SummaryRow[];
  readonly unread: readonly UnreadInput[];
  readonly provenance: SummarizersProvenance;
}

/** Runs every arm on every session; `undefined` if the user wanted to stop. */
export async function runSummarizers(
  { bench, inputs, rows: earlier, onRow }: SummarizersRun,
  io: CliIo,
): Promise<SummarizersFindings | undefined> {
  const { model } = bench;
  const tokenizer = tokenizerOf(model.id);
  const counters = openCounters(io);
  const progress = createProgress(io);
  const compile = {
    tokenizer: tokenizer.name,
    tokenizerEvidence: tokenizer.evidence,
    count: await counters.of(model.id),
  };
  const known = new Set(earlier.map(rowKey));
  const found = { rows: [...earlier], unread: [] as UnreadInput[] };
  let index = 0;
  try {
    for (const input of inputs.sessions) {
      if (input.state === 'unread') {
        found.unread.push(input.unread);
        continue;
      }
      const { name: file } = input.session;
      progress.start({ file, index, total: Math.max(inputs.total, index + 1) });
      index += 1;
      const scenario = prepareScenario(input.session, compile);
      for await (const row of runArms(scenario, { ...bench, known, signal: io.signal })) {
        found.rows.push(row);
        onRow(row);
        // A trial blocks; a signal is heard only between two of them.
        await setImmediate();
        if (io.signal.aborted) return undefined;
      }
    }
  } catch (error) {
    if (io.signal.aborted) return undefined;
    throw error;
  } finally {
    progress.stop();
    counters.save();
  }
  return { ...found, provenance: toProvenance(bench, found.rows, tokenizer.name) };
}

function toProvenance(
  { policy, model, compactAt, seed, repeats, benchHash }: SummarizersRun['bench'],
  rows: readonly SummaryRow[],
  tokenizer: string,
): SummarizersProvenance {
  const scenarios = new Map(
    rows.map(({ scenario: name, scenarioHash: hash, facts }) => [name, { name, hash, facts }]),
  );
  return {
    version: readVersion(),
    scorerVersion: SCORER_VERSION,
    bench: benchHash,
    policy: policy.name,
    model: model.id,
    tokenizer,
    compactAt: compactAt ?? 'policy',
    seed,
    repeats,
    scenarios: [...scenarios.values()],
  };
}
