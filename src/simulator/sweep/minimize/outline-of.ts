import type { AssistantMessage, Message } from '../../../engine/index.ts';

import { trueWritten } from '../../replay/count.ts';
import type { Trace, TraceStep, TraceTurn } from '../../replay/trace.ts';
import { STEP_MS, TURN_MS } from '../../scenario/file/building.ts';
import { FINISHES } from '../../scenario/file/schema/session.ts';
import { isAllowedValue } from '../../session/redact/allowed.ts';
import { MS_PER_SECOND } from '../../units.ts';
import { createMeasure, type Measure } from './measure-parts.ts';
import type { Outline, OutlineOptions, OutlineStep, OutlineTurn, StepReport } from './outline.ts';

/** What turns are made into outlines with, in order. */
interface Context {
  readonly measure: Measure;
  /** How long somebody waited before a message, beyond what a scenario takes anyway. */
  readonly idleBefore: (message: Message) => number;
  readonly reportOf: (step: TraceStep, place: Place) => StepReport;
}

/** Where a step stands in its turn. */
interface Place {
  readonly isLast: boolean;
}

/** Gaps below this make no difference to any cache or rule. */
const LEAST_IDLE_SECONDS = 240;
const NO_FINISH = 'none';
const OTHER_FINISH = 'unknown';
const OTHER_ERROR = 'UnknownError';

/**
 * The outline of a trace, of which a replay decides what one of the trace does: everything that counts and estimates rest
 * on has its size. With texts where whoever asks may see them.
 */
export function outlineOf(trace: Trace, { withTexts }: OutlineOptions): Outline {
  const { factor, perMessageTokens } = trace.basis;
  const isPlain = factor === 1 && perMessageTokens === 0;
  const context: Context = {
    measure: createMeasure(trace.count, { withTexts }),
    idleBefore: createIdle(),
    reportOf: (step, place) => reportOf(step, { trace, withTexts, ...place }),
  };
  return {
    ...(!isPlain && { scale: { factor, perMessageTokens } }),
    turns: trace.turns.map((turn) => turnOf(turn, context)),
  };
}

function turnOf({ message, steps }: TraceTurn, context: Context): OutlineTurn {
  const { measure, idleBefore } = context;
  const idleSeconds = idleBefore(message);
  const [user = { tokens: 0 }, ...more] = measure.asked(message);
  const images = measure.images(message.parts);
  return {
    idleSeconds,
    user,
    ...(more.length > 0 && { more }),
    ...(images.length > 0 && { images }),
    steps: steps.map((step, index) =>
      stepOf(step, { isLast: index === steps.length - 1 }, context),
    ),
  };
}

function stepOf(step: TraceStep, place: Place, context: Context): OutlineStep {
  const { measure, idleBefore, reportOf: report } = context;
  const idleSeconds = idleBefore(step.message);
  return { idleSeconds, parts: measure.done(step.message), ...report(step, place) };
}

function createIdle(): (message: Message) => number {
  let lastMs: number | undefined;
  return ({ role, createdAt }) => {
    const usualMs = role === 'user' ? TURN_MS : STEP_MS;
    const gapMs = createdAt - (lastMs ?? createdAt);
    lastMs = createdAt;
    const isLong = gapMs >= LEAST_IDLE_SECONDS * MS_PER_SECOND;
    return isLong ? Math.round((gapMs - usualMs) / MS_PER_SECOND) : 0;
  };
}

function reportOf(
  { message, outputTokens, reasoningTokens }: TraceStep,
  {
    trace: { basis, count },
    withTexts,
    ...place
  }: Place & OutlineOptions & { readonly trace: Trace },
): StepReport {
  const { parts, error } = message;
  const scale = { factor: basis.factor, count };
  const thoughts = parts.filter(({ type }) => type === 'reasoning');
  const isCounted =
    outputTokens === trueWritten(parts, scale) && reasoningTokens === trueWritten(thoughts, scale);
  return {
    ...(!isCounted && { outputTokens, reasoningTokens }),
    ...finishOf(message, place),
    ...(error && { error: withTexts ? error.name : namedError(error.name) }),
  };
}

/** Nothing where it is the one that the place of the step tells. */
function finishOf({ finish = NO_FINISH }: AssistantMessage, { isLast }: Place) {
  if (finish === (isLast ? 'stop' : 'tool-calls')) return {};
  return { finish: FINISHES.find((one) => one === finish) ?? OTHER_FINISH };
}

function namedError(name: string): string {
  return isAllowedValue('name', name) ? name : OTHER_ERROR;
}
