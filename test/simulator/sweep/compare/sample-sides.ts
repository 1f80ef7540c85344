import type { ComparableRow, Side } from '../../../../src/simulator/sweep/compare/pair-sides.ts';

/** A session that completed. */
export function row(session: string, overrides: Partial<ComparableRow> = {}): ComparableRow {
  return {
    session,
    policy: 'opencode-1.2.16',
    model: 'lab/model',
    summarizer: 'extractive',
    state: 'completed',
    metrics: { costUsd: 1, compactions: 1, inputTokens: 100, finalContextTokens: 5 },
    ...overrides,
  };
}

/** A side of a comparison with these rows. */
export function side(
  name: string,
  rows: readonly ComparableRow[],
  overrides: Partial<Side> = {},
): Side {
  return {
    name,
    rows,
    mode: 'open-loop',
    origin: { settings: {} },
    ...overrides,
  };
}
