import { MS_PER_SECOND } from '../../lib/units.ts';
import type { PageData, PageRun, RunDetail } from './page-data.ts';

/**
 * A page with the columns of its runs as what is not to be expected of them, which packs to a fraction: contexts and
 * turns as their growth, what was cached as what it is beyond the request before, what was written as what was not.
 */
export function packPage(data: PageData): PageData {
  return { ...data, runs: data.runs.map(packRun) };
}

function packRun(run: PageRun): PageRun {
  return run.d === undefined ? run : { ...run, d: packDetail(run.d) };
}

function packDetail(detail: RunDetail): RunDetail {
  const { context, cached, written, turn, view } = detail;
  return {
    ...detail,
    context: growthOf(context),
    cached: cached.map((tokens, step) => tokens - (context[step - 1] ?? 0)),
    written: written.map((tokens, step) => (context[step] ?? 0) - (cached[step] ?? 0) - tokens),
    turn: growthOf(turn),
    ...(view && { view: { ...view, pauses: view.pauses.map(toSeconds) } }),
  };
}

function growthOf(values: readonly number[]): readonly number[] {
  return values.map((value, index) => value - (values[index - 1] ?? 0));
}

function toSeconds(ms: number): number {
  return Math.round(ms / MS_PER_SECOND);
}
