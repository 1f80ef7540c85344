import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../simulator/errors.ts';
import { SCORER_VERSION } from '../simulator/metrics/quality/score-text.ts';
import type { CompileOptions } from '../simulator/replay/compile.ts';
import type { UnreadInput } from '../simulator/report/report.ts';
import type { SummaryRow } from '../simulator/report/summarizers/summary-row.ts';
import type { SummarizersProvenance } from '../simulator/report/summarizers/summarizers-report.ts';
import type { JudgeReport } from '../simulator/report/summarizers/probes-report.ts';
import { calibrateJudge } from '../simulator/sweep/summarizers/calibrate-judge.ts';
import { rowKey } from '../simulator/sweep/summarizers/comparable.ts';
import { type ArmsBench, runArms } from '../simulator/sweep/summarizers/run-arms.ts';
import type { ProbePanel } from '../simulator/sweep/summarizers/probe-trial.ts';
import { prepareScenario, type SummaryScenario } from '../simulator/sweep/summarizers/scenario.ts';
import { tokenizerOf } from '../simulator/tokens/tokenizer-of.ts';
import { openCounters } from './counters.ts';
import type { CliIo } from './io.ts';
import { readVersion } from './package-files.ts';
import { createProgress, type Progress } from './progress.ts';
import { openPanel, type PanelPlan } from './summarizer-panel.ts';
import type { SummaryInput, SummaryInputs } from './summarizer-sessions.ts';

/** What is run, and with what besides. */
export interface SummarizersRun {
  readonly bench: Omit<ArmsBench, 'known' | 'signal' | 'panel'>;
  /** Who is asked about what is left; nobody where it is absent. */
  readonly panel?: PanelPlan | undefined;
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
  readonly judge?: JudgeReport | undefined;
}

/** Runs every arm on every session; `undefined` if the user wanted to stop. */
export async function runSummarizers(
  run: SummarizersRun,
  io: CliIo,
): Promise<SummarizersFindings | undefined> {
  const tokenizer = tokenizerOf(run.bench.model.id);
  const counters = openCounters(io);
  const progress = createProgress(io);
  const found = { rows: [...run.rows], unread: [] as UnreadInput[] };
  try {
    const count = await counters.of(run.bench.model.id);
    const panel = run.panel && openPanel(run.panel, { count, signal: io.signal });
    const judge = panel?.judge && (await calibrateJudge(panel.judge));
    const compile = { tokenizer: tokenizer.name, tokenizerEvidence: tokenizer.evidence, count };
    for await (const item of itemsOf({ ...run, panel, compile, progress, signal: io.signal })) {
      if (item.type === 'row') found.rows.push(item.row);
      else found.unread.push(item.unread);
      if (item.type === 'row') run.onRow(item.row);
      // A trial blocks; a signal is heard only between two of them.
      await setImmediate();
      if (io.signal.aborted) return undefined;
    }
    return { ...found, judge, provenance: toProvenance(run.bench, found.rows, tokenizer.name) };
  } catch (error) {
    if (io.signal.aborted) return undefined;
    throw error;
  } finally {
    progress.stop();
    counters.save();
  }
}

/** A row, or an input that gave none. */
type Item =
  | { readonly type: 'row'; readonly row: SummaryRow }
  | { readonly type: 'unread'; readonly unread: UnreadInput };

interface OpenRun extends Omit<SummarizersRun, 'panel'> {
  readonly panel: ProbePanel | undefined;
  readonly compile: CompileOptions;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

async function* itemsOf(run: OpenRun): AsyncGenerator<Item, void, void> {
  const { bench, panel, inputs, progress, signal } = run;
  const known = new Set(run.rows.map(rowKey));
  let index = 0;
  for (const input of inputs.sessions) {
    if (input.state === 'read') {
      const { name: file } = input.session;
      progress.start({ file, index, total: Math.max(inputs.total, index + 1) });
      index += 1;
    }
    const prepared = prepare(input, run.compile);
    if ('reason' in prepared) {
      yield { type: 'unread', unread: prepared };
      continue;
    }
    const rows = runArms(prepared, { ...bench, panel, known, signal });
    for await (const row of rows) yield { type: 'row', row };
  }
}

/** A session that cannot be compiled does not stop the others. */
function prepare(input: SummaryInput, compile: CompileOptions): SummaryScenario | UnreadInput {
  if (input.state === 'unread') return input.unread;
  try {
    return prepareScenario(input.session, compile);
  } catch (error) {
    const reason = messageOf(error);
    return { file: input.session.name, reason };
  }
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
