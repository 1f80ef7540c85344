import type { ProbeResult } from '../../../../src/simulator/metrics/probes/ask-probes.ts';
import type { PivotScore, SummaryRow } from '../../../../src/simulator/report/arm-metrics.ts';

/** A pivot of which nothing but the retention is known. */
export function pivot(retention: number, more: Partial<PivotScore> = {}): PivotScore {
  return {
    summary: { retention } as PivotScore['summary'],
    view: { retention } as PivotScore['view'],
    kinds: {},
    mustFacts: 10,
    mustDropped: 0,
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
    rowVersion: 2,
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

/** A question that is right before the pivot, and after it as given. */
export function probe(isRight: boolean, more: Partial<ProbeResult> = {}): ProbeResult {
  const right = { isRight: true, isAbstained: false, by: 'rule' } as const;
  const wrong = { isRight: false, isAbstained: true, by: 'rule' } as const;
  return {
    id: 'recall fact-1',
    kind: 'recall',
    answers: {
      none: wrong,
      oracle: right,
      full: right,
      compacted: isRight ? right : wrong,
      tail: wrong,
    },
    isLeft: isRight,
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
