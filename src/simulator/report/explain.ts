import type { Judgement, PruneExplanation } from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import type { Moment, RunStory, StepStory } from '../metrics/explain.ts';
import { describeFired } from './conditions.ts';
import type { ToldLoss } from '../metrics/tell-loss.ts';
import {
  formatTokens,
  INACTIONS,
  renderBreak,
  renderMoment,
  renderOutcome,
  renderRefusal,
  toPlainCleanup,
} from './explain-moment.ts';
import { cutLeft, jsonText, shownText } from './markup.ts';
import { countOf } from './numbers.ts';
import { describeOrigin, type Origin } from './origin.ts';
import { describePreset, toPlainOrigin } from './preset-origin.ts';
import { fitProse } from './prose.ts';
import type { Terminal } from './report.ts';
import { describeSetup, type SetupSummary } from './setup.ts';
import { nameCell } from './statistics-charts.ts';

/** A run told step by step, and what its numbers rest on. */
export interface ExplainedRun extends RunStory {
  readonly origin: Origin;
  /** The setup of the session; absent of scenarios. */
  readonly setup?: SetupSummary | undefined;
}

/** Of one loss. */
const SHOWN_WORDS = 4;

/** How a step shows that it needs something. */
const LOSSES = {
  declared: 'declared by the session',
  'given-back': 'read again',
  anchor: 'lines that an edit needs',
  path: 'opened by its name',
  name: 'names',
  phrase: 'words',
} as const;

/** Longest path; its end tells more than its start. */
const PATH_WIDTH = 80;
/** The same of one that has more behind it. */
const LOST_WIDTH = 40;

/** One step of a run with all that was decided around it, as text. */
export function renderStep(story: ExplainedRun, step: StepStory, terminal: Terminal): string {
  const lines = (moments: readonly Moment[]) =>
    moments.flatMap((moment) => renderMoment(moment, story.policy));
  const sections = [
    ...renderSection('Before the step', [...lines(step.before), ...renderSlide(step)]),
    ...renderSection('After the step', lines(step.after)),
    ...renderSection(nameTurnEnd(story, step), lines(endShown(story, step))),
  ];
  const text = [...renderHead(story), renderFacts(step), ...sections, ...renderOrigin(story)].join(
    '\n',
  );
  return `${fitProse(text, terminal)}\n`;
}

/** The steps at which something happened, a line each, as text. */
export function renderOverview(story: ExplainedRun, terminal: Terminal): string {
  const eventful = story.steps.flatMap((step) => {
    const happened = describeHappenings(step);
    return happened.length === 0 ? [] : [`step ${step.step}  ${happened.join('; ')}`];
  });
  const body = eventful.length === 0 ? ['Nothing happened at any step.'] : eventful;
  const text = [
    ...renderHead(story),
    ...body,
    ...renderLosses(story),
    ...renderGone(story),
    ...renderOrigin(story),
  ].join('\n');
  return `${fitProse(text, terminal)}\n`;
}

/** Summarises the events around a step. */
export function describeHappenings(step: StepStory): readonly string[] {
  const { before, after, turnEnd } = step;
  return [
    ...before.flatMap(describeMoment),
    ...renderSlide(step),
    ...[...after, ...turnEnd].flatMap(describeMoment),
  ];
}

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
  const losses = (story.losses ?? []).map(({ event }) => event);
  return jsonText({ ...headOf(story), end: story.end ?? null, steps, losses });
}

function renderSection(title: string, lines: readonly string[]): readonly string[] {
  const shown = lines.length === 0 ? ['nothing'] : lines;
  return ['', title, ...shown.map((line) => `  ${line}`)];
}

function renderSlide({ slidParts }: StepStory): readonly string[] {
  return slidParts === 0 ? [] : [`${countOf(slidParts, 'part')} left the view (window)`];
}

/** Where the turn of a step ended; with the step that it ended after, where that is a later one. */
function nameTurnEnd(story: RunStory, step: StepStory): string {
  const last = lastStepOf(story, step);
  const { turn } = step;
  return last === step.step ? `End of turn ${turn}` : `End of turn ${turn}, after step ${last}`;
}

function lastStepOf({ steps }: RunStory, { step, turn }: StepStory): number {
  return steps.findLast((other) => other.turn === turn)?.step ?? step;
}

/** The end of the turn as a step shows it: what became of each output is told at the last step of the turn. */
function endShown(story: RunStory, step: StepStory): readonly Moment[] {
  const moments = endOfTurn(story, step);
  if (step.step === lastStepOf(story, step)) return moments;
  return moments.map(({ prune, ...moment }) => ({
    ...moment,
    ...(prune && { prune: { ...prune, judgements: [] } }),
  }));
}

function endOfTurn({ steps }: RunStory, { turn }: StepStory): readonly Moment[] {
  return steps.filter((step) => step.turn === turn).flatMap(({ turnEnd }) => turnEnd);
}

function renderHead({ policy, start, end, steps, setup }: ExplainedRun): readonly string[] {
  const played = steps.filter(({ facts }) => facts !== undefined).length;
  const state = end === undefined ? '' : `; ${end.state}${end.reason ? `: ${end.reason}` : ''}`;
  return [
    `${shownText(start?.session ?? '')} under ${policy.name}, ${shownText(start?.model ?? '')}, summarizer ${shownText(start?.summarizer ?? '')}`,
    ...describePreset(policy),
    ...(setup === undefined ? [] : describeSetup(setup).map((line) => shownText(line))),
    `${countOf(played, 'step')} replayed${shownText(state)}`,
    '',
  ];
}

function renderFacts({ step, turn, facts }: StepStory): string {
  if (facts === undefined) return `Step ${step} of turn ${turn} was not taken.`;
  const { messageId, contextTokens, outputTokens, viewMessages } = facts;
  const sent = `${formatTokens(contextTokens)} true tokens sent in ${countOf(viewMessages ?? 0, 'message')}`;
  return `Step ${step} of turn ${turn}, ${shownText(messageId)}: ${sent}, ${formatTokens(outputTokens)} written`;
}

function renderOrigin({ origin }: ExplainedRun): readonly string[] {
  const text = shownText(describeOrigin(origin));
  return text === '' ? [] : ['', text];
}

function renderGone({ gone = [] }: RunStory): readonly string[] {
  if (gone.length === 0) return [];
  const lines = gone.map(({ kind, text }) => {
    const shown = shownText(text);
    return `  ${kind}  ${kind === 'path' ? cutLeft(shown, PATH_WIDTH) : nameCell(text)}`;
  });
  return ['', 'No longer named at the end, outputs aside:', ...lines];
}

/** Losses that an action brings back, with their sizes; and apart from them the others, with their words. */
function renderLosses({ losses = [] }: RunStory): readonly string[] {
  const back = losses.filter(({ event }) => event.isRecoverable).map(renderLoss);
  const forGood = losses.filter(({ event }) => !event.isRecoverable).map(renderLoss);
  return [
    ...listed(`Lost, needed later and can be read again (${back.length}):`, back),
    ...listed(`Lost for good, though steps needed the words (${forGood.length}):`, forGood),
  ];
}

function listed(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

function renderLoss({ event, words, from }: ToldLoss): string {
  const { step, kind, tokens, sinceStep, missedBy } = event;
  const where = `step ${step}  ${LOSSES[kind]}`;
  if (words.length === 0) {
    const about = from === undefined ? '' : `${cutLeft(shownText(from), LOST_WIDTH)}, `;
    const by = missedBy === 'pivot' ? 'compaction' : missedBy;
    return `step ${step}  ${about}${LOSSES[kind]}: ${formatTokens(tokens)} tokens of step ${sinceStep} (${by})`;
  }
  const more = words.length > SHOWN_WORDS ? `, and ${words.length - SHOWN_WORDS} more` : '';
  return `${where}: ${words
    .slice(0, SHOWN_WORDS)
    .map((each) => nameCell(each.replace(/\s+/g, ' ')))
    .join(', ')}${more}`;
}

function describeMoment(moment: Moment): readonly string[] {
  const { checks, prune, events, inaction, background } = moment;
  const overflows = (background === 'waiting' ? [] : checks)
    .filter(({ check }) => check.isOverflow)
    .map(({ check }) => {
      const fired = check.conditions && describeFired(check.conditions);
      if (fired !== undefined) return `overflow ${fired}`;
      const [count, usable] = [check.countTokens, check.usableTokens].map(formatTokens);
      return `overflow ${count} (usable ${usable})`;
    });
  const isPruneTold = prune !== undefined && prune.plan.state !== 'nothing';
  return [
    ...renderRefusal(moment),
    ...overflows,
    ...(moment.cleanups ?? []).map(
      ({ pass, estimatedTokens }) => `clean-up ${pass} ${formatTokens(estimatedTokens)}`,
    ),
    ...(isPruneTold ? [`prune ${renderOutcome(prune)}`] : []),
    ...(inaction === undefined ? [] : [INACTIONS[inaction]]),
    ...(background === 'started' ? ['compaction begun in the background'] : []),
    ...events.flatMap((event) => {
      if (event.type === 'summary-rejected') return ['summary rejected'];
      if (event.type === 'summary-end' && event.state === 'failed') {
        return [event.verifies ? 'check of the summary failed' : 'summary failed'];
      }
      if (event.type === 'law-violated' && !event.isKnown) return [`law ${event.law} violated`];
      if (event.type === 'moved-out') return describeMove(event);
      if (event.type === 'step-end') return [renderBreak(event)];
      if (event.type !== 'pivot') return [];
      const { contextBeforeTokens, contextAfterTokens } = event;
      return [
        `compaction ${formatTokens(contextBeforeTokens)} → ${formatTokens(contextAfterTokens)}`,
      ];
    }),
  ];
}

/** Where nothing moved, nothing happened. */
function describeMove({
  messageIds,
}: RunEvent & { readonly type: 'moved-out' }): readonly string[] {
  return messageIds.length === 0 ? [] : [`${countOf(messageIds.length, 'message')} moved out`];
}

function headOf({ policy, start, origin, setup }: ExplainedRun) {
  const { name } = policy;
  const head = { policy: name, preset: toPlainOrigin(name), start: start ?? null, origin };
  return { ...head, setup: setup ?? null };
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
