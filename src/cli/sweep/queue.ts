import { badOption } from '../../simulator/errors.ts';
import { quoted } from '../../simulator/names.ts';
import type { SweepPlan } from '../../simulator/sweep/plan/plan.ts';
import { parseQueueUrl } from '../../simulator/sweep/queue/connection.ts';
import { queueNameOf } from '../../simulator/sweep/queue/queue-name.ts';
import { runQueued, type RunQueuedOptions } from '../../simulator/sweep/queue/run-queued.ts';
import type { FinishedRun } from '../../simulator/sweep/run/task.ts';
import { runPlan, type RunPlanOptions } from '../../simulator/sweep/run-plan.ts';
import { isCassetteName } from '../../simulator/summarizer/cassette/cassette-name.ts';
import type { SweepHeader } from '../../simulator/sweep/store/header.ts';
import type { CliIo } from '../process/io.ts';
import { type GridModels, toLiveCells } from '../models/live-cells.ts';
import { printSpent } from '../models/report.ts';
import { printNote } from '../process/output.ts';

/** What the command line says of a queue, as text. */
interface QueueOptions {
  readonly queue?: string | undefined;
  readonly out?: string | undefined;
  readonly sendTexts?: true | undefined;
}

/** A queue, and what goes into it. */
export interface QueueChoice {
  readonly url: string;
  readonly sendsTexts: boolean;
}

/** What a sweep is to do, and what asks real models in it. */
export interface PlacedSweep {
  readonly plan: SweepPlan;
  readonly header: SweepHeader;
  readonly models?: GridModels | undefined;
}

/** How a sweep is carried out here or by others. */
interface SomewhereOptions extends RunPlanOptions, Pick<RunQueuedOptions, 'checkKept'> {
  readonly queue: QueueChoice | undefined;
}

/** The queue, where one is named. Throws if its address is none, or if nothing could be gone on with. */
export function checkQueue({ queue, out, sendTexts }: QueueOptions): QueueChoice | undefined {
  if (queue === undefined) {
    if (sendTexts === undefined) return undefined;
    throw badOption("Expected '--send-texts' to come with '--queue', got it alone.");
  }
  if (out === undefined) {
    throw badOption(
      "Expected '--queue' to come with '--out', got none: rows taken from a queue must be kept somewhere.",
    );
  }
  return { url: parseQueueUrl(queue), sendsTexts: sendTexts === true };
}

/** Throws where workers would have to be told a secret, or where a folder is named that they do not know of. */
export function checkQueuedModels(models: GridModels | undefined): void {
  if (models === undefined) return;
  const { settings, askedFor } = models;
  const named = [...askedFor.values()].find(isCassetteName);
  if (named !== undefined) {
    throw badOption(
      `Expected '--cassette' here and at the workers with '--queue', got ${quoted(named)}.`,
    );
  }
  if (new URL(settings.baseUrl ?? 'http://localhost').search !== '') {
    throw badOption(
      "Expected '--base-url' to have no query with '--queue', because workers are told it.",
    );
  }
}

/** The rows of a plan that are not there: from threads of this process, or from the workers of a queue. */
export function runSomewhere(
  { plan, header, models }: PlacedSweep,
  { queue, checkKept, ...options }: SomewhereOptions,
  io: CliIo,
): AsyncGenerator<FinishedRun, void, void> {
  if (queue === undefined) {
    return runPlan(plan, { ...options, live: models && toLiveCells(models) });
  }
  return runQueued(plan, {
    ...options,
    ...queue,
    checkKept,
    name: queueNameOf(header),
    version: header.version,
    note: (message) => printNote(io, message),
    ...(models && {
      live: { isLive: ({ summarizer }) => models.askedFor.has(summarizer) },
      models: { settings: models.settings, firstSeed: models.firstSeed },
      onSpent: (spent) => printSpent(io, { spentNanoUsd: () => spent }),
    }),
  });
}
