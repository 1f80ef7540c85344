/** Models that releases of agents treat in their own way: the window that they give them, or no compaction but at a refusal. */

import { compareReleases } from '../scenario/recording-agents.ts';

interface ReleaseModel {
  readonly agent: string;
  /** First release; absent for all. */
  readonly from?: readonly number[];
  /** Against the recorded `provider/model`. */
  readonly models: RegExp;
  /** Window in force; absent where the row says nothing of it. */
  readonly contextTokens?: number;
  /** True where nothing but a refusal compacts, unless a threshold is set. */
  readonly isRefusalOnly?: true;
  readonly source: string;
}

interface Wanted {
  readonly agent: string;
  readonly release?: readonly number[] | undefined;
  readonly model: string;
}

export const LARGE_WINDOW = 1_000_000;
export const USUAL_WINDOW = 200_000;
/** The end of a model's name that asks for the large window. */
const LARGE = /\[1m\]$/i;

/** The first row that holds decides each value. */
const ROWS: readonly ReleaseModel[] = [
  {
    agent: 'Claude Code',
    from: [2, 1, 197],
    models: /claude-(?:sonnet-4-5|haiku-4-5|opus-4-8)/,
    isRefusalOnly: true,
    source: 'runs of 2.1.197 and 2.1.332 (2026-11)',
  },
  {
    agent: 'Claude Code',
    models: LARGE,
    contextTokens: LARGE_WINDOW,
    source: "the model's name asks for it",
  },
  {
    agent: 'Claude Code',
    from: [2, 1, 205],
    models: /claude-(?:opus|sonnet|fable)-5/,
    contextTokens: LARGE_WINDOW,
    source:
      'JanDeDobbeleer/oh-my-posh: requests of 327,692 (fable-5, 2.1.205), 343,030 (sonnet-5, 2.1.209) and 559,279 tokens (opus-5, 2.1.219) accepted, a compaction at 998,659 (2.1.219)',
  },
  {
    agent: 'Claude Code',
    models: /claude/,
    contextTokens: USUAL_WINDOW,
    source:
      'entireio/cli: 30 compactions of claude-opus-4-6 at 167,000 to 178,000 (2.1.32 to 2.1.49)',
  },
];

/** The window that a release of an agent gives a model; where the release is unknown, the newest one counts. */
export function releaseWindow(wanted: Wanted): number | undefined {
  return ROWS.find((row) => row.contextTokens !== undefined && holds(row, wanted))?.contextTokens;
}

/** The name of a model without the window that it asks for. */
export function withoutWindow(model: string): string {
  return model.replace(LARGE, '');
}

/** Tests if a release of an agent compacts a model at a refusal only. */
export function compactsAtRefusalOnly(wanted: Wanted): boolean {
  return ROWS.some((row) => row.isRefusalOnly === true && holds(row, wanted));
}

function holds({ agent, from, models }: ReleaseModel, wanted: Wanted): boolean {
  const { release } = wanted;
  return (
    agent === wanted.agent &&
    models.test(wanted.model) &&
    (from === undefined || release === undefined || compareReleases(from, release) <= 0)
  );
}
