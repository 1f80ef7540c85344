import { HarnessError } from '../../simulator/errors.ts';
import { fitWorkload, nearestWorkload } from '../../simulator/scenario/workload/fit.ts';
import type { Workload } from '../../simulator/scenario/workload/workload.ts';
import { findWorkload } from '../../simulator/scenario/workload/workloads.ts';
import { charsEstimator } from '../../simulator/session/statistics/estimator.ts';
import type { CliIo } from '../process/io.ts';
import { printNote } from '../process/output.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';
import { countOf } from '../../simulator/report/numbers.ts';
import { toStatistics } from '../../simulator/report/statistics/to-statistics.ts';
import { countedSamples } from '../../simulator/session/statistics/gathering.ts';
import { gatherFiles } from './describe-files.ts';

/** A workload, and whether all that it was to be like could be read. */
export interface FittedWorkload {
  readonly workload: Workload;
  readonly isWhole: boolean;
}

/** What a workload of one's own is called. */
const NAME = 'fitted';

/** The workload of the sessions in some files; absent if the user wanted to stop. Files that cannot be read are told of. */
export async function fitFiles(
  inputs: RunInputs,
  base: Workload | undefined,
  io: CliIo,
): Promise<FittedWorkload | undefined> {
  const read = await gatherFiles(inputs, charsEstimator, io);
  if (read === undefined) return undefined;
  const { gathering, unread } = read;
  const { overall } = toStatistics(gathering, charsEstimator, unread);
  for (const { reason } of unread) printNote(io, reason);
  if (overall.sessions === 0) throw new HarnessError('NO_INPUT', 'No input could be read.');
  const like = base ?? nearestWorkload(overall, shippedWorkloads());
  const describes = `${countOf(overall.sessions, 'session')} of your own`;
  const samples = countedSamples(gathering);
  const { families } = gathering.repeats;
  const workload = fitWorkload(overall, {
    name: NAME,
    describes,
    base: like,
    samples,
    families,
  });
  return { workload, isWhole: unread.length === 0 };
}

function shippedWorkloads(): readonly [Workload, ...Workload[]] {
  const others = ['codex', 'pi', 'opencode'].map(findWorkload);
  return [findWorkload('claude-code'), ...others];
}
