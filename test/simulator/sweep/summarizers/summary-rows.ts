import type { ProbeResult } from '../../../../src/simulator/metrics/probes/probe.ts';
import {
  type PivotScore,
  SUMMARY_ROW_VERSION,
  type SummaryRow,
} from '../../../../src/simulator/report/summarizers-report.ts';

/** A pivot of whose facts such a share is kept. */
export function pivot(kept: number, more: Partial<PivotScore> = {}): PivotScore {
  return {
    kinds: { id: { kept: 10 * kept, lost: 10 * (1 - kept) } },
    mustFacts: 10,
    mustDropped: 0,
    strings: 20,
    stringsKept: 8,
    headTokens: 1_000,
    summaryTokens: 100,
    viewTokens: 200,
    calls: 1,
    isCut: false,
    ...more,
  };
}

/** A row of one pivot. */
export function row(more: Partial<SummaryRow> = {}): SummaryRow {
  return {
    rowVersion: SUMMARY_ROW_VERSION,
    scorerVersion: 1,
    bench: 'bench',
    scenario: 'one',
    scenarioHash: 'hash',
    facts: 'planted',
    summarizer: 'extractive',
    model: 'extractive',
    prompt: 'policy',
    promptHash: 'prompt',
    repeat: 1,
    isRandom: false,
    pivots: [pivot(0.5)],
    survival: [],
    ...more,
  };
}

/** A question that is right with the whole session, and after the pivot as given. */
export function probe(isRight: boolean, more: Partial<ProbeResult> = {}): ProbeResult {
  const compacted = isRight ? 'right' : 'abstained';
  return {
    id: 'value fact-1',
    kind: 'value',
    answers: { full: 'right', compacted, none: 'wrong' },
    ...more,
  };
}

/** What a report of such rows rests on. */
export const provenanceOf = (sessions: readonly string[]) => ({
  origin: {
    version: '0.1.0',
    catalog: { source: 'shipped', hash: 'abc' },
    tokenizers: {
      'anthropic/claude-sonnet-4-5': { name: 'o200k_base', evidence: 'estimated' as const },
    },
    settings: { protect: 3_000 },
  },
  scorerVersion: 2,
  bench: 'bench',
  policy: 'opencode-1.2.16',
  model: 'anthropic/claude-sonnet-4-5',
  pivots: 2,
  compactAt: [0.5, 1],
  seed: 1,
  repeats: 1,
  scenarios: sessions.map((name) => ({ name, hash: 'hash', facts: 'planted' as const })),
});
