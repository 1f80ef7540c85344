import type { Judgement, PruneExplanation } from '../../../engine/index.ts';
import type { Moment, StepStory } from '../../metrics/explain.ts';
import { jsonText } from '../json-text.ts';
import { toPlainCleanup } from './cleanup.ts';
import type { ExplainedRun } from './explained-run.ts';
import { describeHappenings, endOfTurn } from './story.ts';

/** One step of a run with all that was decided around it, as JSON without texts. */
export function renderStepJson(story: ExplainedRun, step: StepStory): string {
  return jsonText({
    ...headOf(story),
    step: step.step,
    turn: step.turn,
    facts: step.facts ?? null,
    before: step.before.map(toPlain),
    slidParts: step.slidParts,
    after: step.after.map(toPlain),
    turnEnd: endOfTurn(story, step).map(toPlain),
  });
}

/** The steps at which something happened, as JSON. */
export function renderOverviewJson(story: ExplainedRun): string {
  const steps = story.steps
    .map((step) => ({ step: step.step, turn: step.turn, happened: describeHappenings(step) }))
    .filter(({ happened }) => happened.length > 0);
  return jsonText({ ...headOf(story), end: story.end ?? null, steps });
}

function headOf({ policy, start, origin }: ExplainedRun) {
  return { policy: policy.name, start: start ?? null, origin };
}

function toPlain({ prune, cleanups, ...moment }: Moment) {
  return {
    ...moment,
    ...(cleanups && { cleanups: cleanups.map(toPlainCleanup) }),
    ...(prune && { prune: toPlainPrune(prune) }),
  };
}

/** A tool part holds texts; only its names and sizes go out. */
function toPlainPrune({ judgements, ...prune }: PruneExplanation) {
  return { ...prune, judgements: judgements.map(toPlainJudgement) };
}

function toPlainJudgement(judged: Judgement) {
  if (judged.type === 'end') return judged;
  const { part, ...rest } = judged;
  return { ...rest, partId: part.id, tool: part.tool };
}
