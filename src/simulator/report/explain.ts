import type { RunEvent } from '../events.ts';
import { known, sum } from '../lib/collections.ts';
import type { Moment, RunStory, StepStory, ToldLoss } from '../metrics/explain.ts';
import type { Blamed } from '../metrics/diagnosis.ts';
import { type Diagnosis, diagnosisBlocks } from './diagnosis.ts';
import { type Block, linesOf, listOf, renderTerminal } from './document.ts';
import {
  describeFired,
  describePreset,
  INACTIONS,
  renderBreak,
  renderMoment,
  renderOutcome,
  renderRefusal,
  toPlainOrigin,
} from './explain-moment.ts';
import { cutLeft, jsonText } from './markup.ts';
import { countOf, formatCount } from './numbers.ts';
import { basisBlocks, describeOrigin, type Origin } from './origin.ts';
import { describeEnding } from './report.ts';
import { describeSetup, type SetupSummary } from './setup.ts';
import { nameCell } from './statistics.ts';
import type { Terminal } from './layout.ts';

export interface ExplainedRun extends RunStory {
  readonly diagnosis: Diagnosis;
  readonly blamed?: Blamed | undefined;
  readonly origin: Origin;
  readonly setup?: SetupSummary | undefined;
}

const SHOWN_WORDS = 4;

const LOSSES = {
  declared: 'declared by the session',
  'given-back': 'read again',
  anchor: 'lines that an edit needs',
  path: 'opened by its name',
  name: 'names',
  phrase: 'words',
} as const;

/** How the recording stood to what was lost, said of a step. */
const USES = {
  caused: 'gone when recorded, too',
  used: 'held when recorded',
  carried: 'summarised when recorded',
} as const;

const PATH_WIDTH = 80;
const LOST_WIDTH = 40;

/** Renderers of a run and of one of its steps, by the names of their formats. */
export const explainFormats = {
  text: { overview: renderOverview, step: renderStep },
  json: { overview: renderOverviewJson, step: renderStepJson },
};

/** One step with its losses, and with details all that was decided around it. */
export function renderStep(story: ExplainedRun, step: StepStory, terminal: Terminal): string {
  const brief = sectionsOf(story, step, { isBrief: true }).filter(({ length }) => length > 1);
  const happened = describeHappenings(step);
  const told =
    happened.length === 0 ? 'Nothing happened.' : `What happened: ${happened.join('; ')}.`;
  const blocks: readonly Block[] = [
    linesOf([renderFacts(step), told, ...renderLostAfter(story, step)], { most: 6 }),
    linesOf(brief.flat(), { most: 10, only: 'screen' }),
    ...sectionsOf(story, step, { isBrief: false }).map(
      (lines): Block =>
        linesOf(lines.length > 1 ? lines : [...lines, '  nothing'], { isDetail: true }),
    ),
    ...endBlocks(story, [renderRun(story)]),
  ];
  return renderTerminal(blocks, terminal);
}

/** Why a run compacted, what was lost, and the steps at which something happened. */
export function renderOverview(story: ExplainedRun, terminal: Terminal): string {
  const { losses = [], gone = [] } = story;
  const forGood = losses.filter(({ event }) => !event.isRecoverable);
  const back = losses.filter(({ event }) => event.isRecoverable);
  const eventful = story.steps.flatMap((step) => {
    const happened = describeHappenings(step);
    return happened.length === 0 ? [] : [`step ${step.step}  ${happened.join('; ')}`];
  });
  const counts = `${countLosses(back)} to be read again, ${countLosses(forGood)} for good`;
  const blocks: readonly Block[] = [
    ...diagnosisBlocks(story.diagnosis, story.blamed),
    linesOf([renderRun(story), describeCompactions(story)]),
    linesOf(eventful, { most: 4 }),
    listOf(`Lost and needed later: ${counts}`, [...forGood, ...back].map(renderLoss), { most: 4 }),
    linesOf(renderApart(story)),
    listOf(
      'No longer named at the end, outputs aside',
      gone.map(
        ({ kind, text }) =>
          `${kind}  ${kind === 'path' ? cutLeft(text, PATH_WIDTH) : nameCell(text)}`,
      ),
      { isDetail: true },
    ),
    ...endBlocks(story),
  ];
  return renderTerminal(blocks, terminal);
}

export function describeHappenings(step: StepStory): readonly string[] {
  const { before, after, turnEnd } = step;
  return [
    ...before.flatMap(describeMoment),
    ...renderSlide(step),
    ...[...after, ...turnEnd].flatMap(describeMoment),
  ];
}

/** One step, as JSON without texts. */
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

export function renderOverviewJson(story: ExplainedRun): string {
  const steps = story.steps
    .map((step) => ({ step: step.step, turn: step.turn, happened: describeHappenings(step) }))
    .filter(({ happened }) => happened.length > 0);
  const losses = (story.losses ?? []).map(({ event }) => event);
  const { diagnosis, end = null, apart } = story;
  return jsonText({ ...headOf(story), diagnosis, end, steps, losses, apart });
}

function sectionsOf(
  story: ExplainedRun,
  step: StepStory,
  { isBrief }: { readonly isBrief: boolean },
): readonly (readonly string[])[] {
  const last = story.steps.findLast(({ turn }) => turn === step.turn)?.step ?? step.step;
  const isLast = step.step === last;
  const section = (title: string, moments: readonly Moment[], hasOutputs: boolean) => {
    const shown = moments.map(({ prune, ...moment }): Moment => {
      const told = prune && (hasOutputs ? prune : { ...prune, judgements: [] });
      return { ...moment, ...known({ prune: told }) };
    });
    const lines = shown.flatMap((moment) => renderMoment(moment, story.policy));
    return [title, ...lines.map((line) => `  ${line}`)];
  };
  const end = `End of turn ${step.turn}${isLast ? '' : `, after step ${last}`}`;
  return [
    [
      ...section('Before the step', step.before, !isBrief),
      ...renderSlide(step).map((line) => `  ${line}`),
    ],
    section('After the step', step.after, !isBrief),
    section(end, endOfTurn(story, step), isLast && !isBrief),
  ];
}

function renderSlide({ slidParts }: StepStory) {
  return slidParts === 0 ? [] : [`${countOf(slidParts, 'part')} left the view (window)`];
}

function endOfTurn({ steps }: RunStory, { turn }: StepStory) {
  return steps.filter((step) => step.turn === turn).flatMap(({ turnEnd }) => turnEnd);
}

function renderRun({ policy, start, end, steps, events }: ExplainedRun) {
  const played = steps.filter(({ facts }) => facts !== undefined).length;
  const dropped = events.filter(({ type }) => type === 'step-dropped').length;
  const less = dropped === 0 ? '' : `, ${formatCount(dropped)} left out as needless`;
  const state = end === undefined ? '' : `; ${describeEnding(end)}`;
  const { session = '', model = '', summarizer = '' } = start ?? {};
  return `${cutLeft(session, PATH_WIDTH)} under ${policy.name}, ${model}, summarizer ${summarizer}: ${countOf(played, 'step')} replayed${less}${state}`;
}

function describeCompactions({ steps }: ExplainedRun) {
  const compacted = steps.filter((step) => pivotsAt(step).length > 0);
  const [first] = compacted;
  if (first !== undefined) {
    const times = countOf(sum(compacted.map((step) => pivotsAt(step).length)), 'compaction');
    return `${times}, the first at step ${first.step}.`;
  }
  const checks = steps.flatMap(momentsAt).flatMap((moment) => moment.checks);
  const [largest] = checks.toSorted(
    (one, other) => other.check.countTokens - one.check.countTokens,
  );
  if (largest === undefined || largest.isUnlimited) return 'Nothing was compacted.';
  const [count, usable] = [largest.check.countTokens, largest.check.usableTokens].map(formatCount);
  return `Nothing was compacted: the largest count is ${count} tokens, of ${usable} usable.`;
}

function renderLostAfter({ steps, losses = [] }: ExplainedRun, step: StepStory) {
  if (pivotsAt(step).length === 0) return [];
  const next = steps.find((other) => other.step > step.step && pivotsAt(other).length > 0);
  const lost = losses.filter(
    ({ event }) => event.step > step.step && event.step <= (next?.step ?? Infinity),
  );
  const forGood = lost.filter(({ event }) => !event.isRecoverable);
  const until = next === undefined ? 'the end' : `the next compaction, at step ${next.step}`;
  return [
    `Lost and needed until ${until}: ${countLosses(lost)}, ${countLosses(forGood)} of them for good.`,
  ];
}

function momentsAt({ before, after, turnEnd }: StepStory) {
  return [...before, ...after, ...turnEnd];
}

function pivotsAt(step: StepStory) {
  return momentsAt(step).flatMap(({ events }) => events.filter(({ type }) => type === 'pivot'));
}

function renderFacts({ step, turn, facts }: StepStory) {
  if (facts === undefined) return `Step ${step} of turn ${turn} was not taken.`;
  const { messageId, contextTokens, outputTokens, viewMessages } = facts;
  const sent = `${formatCount(contextTokens)} true tokens sent in ${countOf(viewMessages ?? 0, 'message')}`;
  return `Step ${step} of turn ${turn}, ${messageId}: ${sent}, ${formatCount(outputTokens)} written`;
}

function endBlocks(
  { policy, setup, origin }: ExplainedRun,
  run: readonly string[] = [],
): readonly Block[] {
  const lines = [...run, ...describePreset(policy), ...(setup ? describeSetup(setup) : [])];
  return basisBlocks(origin, [...lines, describeOrigin(origin)]);
}

/** Expected, where a real summary might have told some of it. */
function countLosses(losses: readonly ToldLoss[]) {
  const chances = losses.map(({ event }) => event.chance ?? 1);
  const count = formatCount(sum(chances));
  return chances.some((chance) => chance < 1) ? `about ${count} (expected)` : count;
}

function renderApart({ apart }: ExplainedRun) {
  const { habit = 0, carried = 0, unknown = 0 } = apart ?? {};
  const told = [
    habit > 0 && `${formatCount(habit)} read again anyway`,
    carried > 0 && `${formatCount(carried)} that the recording had summarised, too`,
    unknown > 0 && `${formatCount(unknown)} that it may have lost before`,
  ].filter((each) => each !== false);
  return told.length === 0 ? [] : [`Gone too, and not counted: ${told.join(', ')}.`];
}

function renderLoss({ event, words, from }: ToldLoss) {
  const { step, kind, tokens, sinceStep, missedBy, use = 'used', chance } = event;
  const recorded = use === 'habit' || use === 'unknown' ? '' : `, ${USES[use]}`;
  const how = `${recorded}${chance === undefined ? '' : `, counts ${formatCount(chance)}`}`;
  if (words.length === 0) {
    const about = from === undefined ? '' : `${cutLeft(from, LOST_WIDTH)}, `;
    const by = missedBy === 'pivot' ? 'compaction' : missedBy;
    return `step ${step}  ${about}${LOSSES[kind]}: ${formatCount(tokens)} tokens of step ${sinceStep} (${by}${how})`;
  }
  const more = words.length > SHOWN_WORDS ? `, and ${words.length - SHOWN_WORDS} more` : '';
  const shown = words.slice(0, SHOWN_WORDS).map((each) => nameCell(each.replace(/\s+/g, ' ')));
  return `step ${step}  ${LOSSES[kind]}: ${shown.join(', ')}${more}${how}`;
}

function describeMoment(moment: Moment) {
  const { checks, prune, events, inaction, background, cleanups = [] } = moment;
  const overflows = (background === 'waiting' ? [] : checks)
    .filter(({ check }) => check.isOverflow)
    .map(({ check }) => {
      const fired = check.conditions && describeFired(check.conditions);
      if (fired !== undefined) return `overflow ${fired}`;
      const [count, usable] = [check.countTokens, check.usableTokens].map(formatCount);
      return `overflow ${count} (usable ${usable})`;
    });
  return [
    ...renderRefusal(moment),
    ...overflows,
    ...cleanups.map(
      ({ pass, estimatedTokens }) => `clean-up ${pass} ${formatCount(estimatedTokens)}`,
    ),
    ...(prune && prune.plan.state !== 'nothing' ? [`prune ${renderOutcome(prune)}`] : []),
    ...(inaction === undefined ? [] : [INACTIONS[inaction]]),
    ...(background === 'started' ? ['compaction begun in the background'] : []),
    ...events.flatMap((event) => describeEvent(event) ?? []),
  ];
}

function describeEvent(event: RunEvent) {
  switch (event.type) {
    case 'summary-rejected':
      return 'summary rejected';
    case 'summary-end':
      if (event.state !== 'failed') return undefined;
      return event.verifies ? 'check of the summary failed' : 'summary failed';
    case 'law-violated':
      return event.isKnown ? undefined : `law ${event.law} violated`;
    case 'moved-out': {
      const { length } = event.messageIds;
      return length === 0 ? undefined : `${countOf(length, 'message')} moved out`;
    }
    case 'step-end':
      return renderBreak(event);
    case 'pivot': {
      const { contextBeforeTokens: before, contextAfterTokens: after } = event;
      return `compaction ${formatCount(before)} → ${formatCount(after)}`;
    }
    default:
      return undefined;
  }
}

function headOf({ policy: { name }, start, origin, setup }: ExplainedRun) {
  const preset = toPlainOrigin(name);
  return { policy: name, preset, start: start ?? null, origin, setup: setup ?? null };
}

/** Parts hold texts; only their names and sizes go out. */
function toPlain({ prune, cleanups, ...moment }: Moment) {
  return {
    ...moment,
    ...known({
      cleanups: cleanups?.map(({ parts, ...cleanup }) => {
        return { ...cleanup, parts: parts.map(({ id, type }) => ({ partId: id, type })) };
      }),
      prune: prune && toPlainPrune(prune),
    }),
  };
}

function toPlainPrune({ judgements, ...prune }: NonNullable<Moment['prune']>) {
  const plain = judgements.map((judged) => {
    if (judged.type === 'end') return judged;
    const { part, ...rest } = judged;
    return { ...rest, partId: part.id, tool: part.tool };
  });
  return { ...prune, judgements: plain };
}
