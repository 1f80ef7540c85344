/** Context windows that releases of agents give their models, where they are not the catalog's. */

import { compareReleases } from './recording-agents.ts';

/** One row: the window of some models in an agent's releases. */
interface ReleaseWindow {
  readonly agent: string;
  /** First release; absent for all. */
  readonly from?: readonly number[];
  /** Against the recorded `provider/model`. */
  readonly models: RegExp;
  readonly contextTokens: number;
  /** Recordings that it rests on. */
  readonly source: string;
}

/** Whose window is looked for. */
interface Wanted {
  readonly agent: string;
  readonly release?: readonly number[] | undefined;
  readonly model: string;
}

export const LARGE_WINDOW = 1_000_000;
export const USUAL_WINDOW = 200_000;

/** The first row that holds decides. */
const ROWS: readonly ReleaseWindow[] = [
  {
    agent: 'Claude Code',
    models: /\[1m\]$/i,
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

/** The row of a model in a release of an agent; where the release is unknown, the newest one counts. */
export function releaseWindow({ agent, release, model }: Wanted): ReleaseWindow | undefined {
  return ROWS.find(
    ({ agent: own, from, models }) =>
      own === agent &&
      models.test(model) &&
      (from === undefined || release === undefined || compareReleases(from, release) <= 0),
  );
}
