import { PART_STATES, type RunView } from '../../src/simulator/report/plots.ts';

/** What a made-up view is like; the same as the run that it belongs to. */
export interface SampleViewOptions {
  readonly steps?: number;
  readonly pivotEvery?: number;
  /** Written into names of tools and into texts. */
  readonly mark?: string;
  readonly spread?: number;
  readonly hasTexts?: boolean;
}

const PARTS_A_STEP = 2;
const PRIME = 7_919;
const CLEARED_TOKENS = 20;
const MINUTE = 60_000;
const LONG_PAUSE = 192 * MINUTE;

/** Every step brings an answer and an output; a pivot hides all of them behind a summary, and now and then one is cleared. */
export function sampleView({
  steps = 40,
  pivotEvery = 15,
  mark = '',
  spread = 0,
  hasTexts = false,
}: SampleViewOptions = {}): RunView {
  const [kind, tokens, came]: number[][] = [[], [], []] as unknown as [
    number[],
    number[],
    number[],
  ];
  const changes: RunView['changes'][number][] = [];
  const pauses: number[] = [];
  let first = 0;
  for (let step = 0; step < steps; step++) {
    const isAfterPivot = step > 0 && step % pivotEvery === 0;
    if (isAfterPivot) {
      changes.push([step, PART_STATES.summarised, first, kind.length - first, 0]);
      first = kind.length;
      changes.push(
        [step, PART_STATES.summary, first, 1, 7],
        [step, PART_STATES.summary, first + 1, 1, 900],
      );
      changes.push([step, PART_STATES.injected, first + 2, 1, 21]);
      kind.push(2, 3, 4);
      tokens.push(7, 900, 21);
    }
    if (step % pivotEvery === 8) changes.push([step, PART_STATES.pruned, first, 1, CLEARED_TOKENS]);
    kind.push(0, 1);
    tokens.push(
      100 + ((spread * step * PRIME) % 200),
      1_000 + ((spread * step * step * PRIME) % 900),
    );
    came.push(PARTS_A_STEP + (isAfterPivot ? 3 : 0));
    pauses.push(pauseOf(step, spread));
  }
  const kinds = ['answer', `tool bash${mark}`, 'summary question', 'summary', 'resumption'];
  const view = { kinds, kind, tokens, came, changes, pauses };
  return hasTexts ? { ...view, texts: textsOf(view, mark) } : view;
}

/** Nothing is left in the cache after the long ones. */
function pauseOf(step: number, spread: number): number {
  if (step === 0) return 0;
  return step % 12 === 11 ? LONG_PAUSE : MINUTE + ((spread * step * PRIME) % MINUTE);
}

function textsOf({ kind, changes }: Pick<RunView, 'kind' | 'changes'>, mark: string) {
  const pool = [
    'An answer',
    'Output',
    'What did we do?',
    'All that was done',
    'Go on',
    '[cleared]',
  ];
  return {
    pool: pool.map((text) => `${text}${mark}`),
    parts: kind,
    changes: changes.map(([, state, first]) => {
      if (state === PART_STATES.summarised) return -1;
      return state === PART_STATES.pruned ? pool.length - 1 : (kind[first] ?? -1);
    }),
  };
}
