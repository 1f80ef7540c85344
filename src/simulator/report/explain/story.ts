import type { RunEvent } from '../../events.ts';
import type { Moment, RunStory, StepStory } from '../../metrics/explain.ts';
import { countOf } from '../numbers.ts';
import { describeOrigin } from '../origin.ts';
import type { Terminal } from '../report.ts';
import { cutLeft, shownText } from '../shown-text.ts';
import { nameCell } from '../statistics/cells.ts';
import { fitProse } from '../wrap-prose.ts';
import type { ExplainedRun } from './explained-run.ts';
import { renderMoment, renderRefusal } from './moment.ts';
import { renderOutcome } from './prune.ts';
import { formatTokens, INACTIONS } from './terms.ts';

/** Longest path; its end tells more than its start. */
const PATH_WIDTH = 80;

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
  const text = [...renderHead(story), ...body, ...renderGone(story), ...renderOrigin(story)].join(
    '\n',
  );
  return `${fitProse(text, terminal)}\n`;
}

/** What happened around a step besides the step, in short. */
export function describeHappenings(step: StepStory): readonly string[] {
  const { before, after, turnEnd } = step;
  return [
    ...before.flatMap(describeMoment),
    ...renderSlide(step),
    ...[...after, ...turnEnd].flatMap(describeMoment),
  ];
}

/** What happened when the turn of a step ended. */
export function endOfTurn({ steps }: RunStory, { turn }: StepStory): readonly Moment[] {
  return steps.filter((step) => step.turn === turn).flatMap(({ turnEnd }) => turnEnd);
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

/** Where the turn of a step ended; with the step that it ended after, where that is a later one. */
function nameTurnEnd(story: RunStory, step: StepStory): string {
  const last = lastStepOf(story, step);
  const { turn } = step;
  return last === step.step ? `End of turn ${turn}` : `End of turn ${turn}, after step ${last}`;
}

function lastStepOf({ steps }: RunStory, { step, turn }: StepStory): number {
  return steps.findLast((other) => other.turn === turn)?.step ?? step;
}

function describeMoment(moment: Moment): readonly string[] {
  const { checks, prune, events, inaction } = moment;
  const overflows = checks
    .filter(({ check }) => check.isOverflow)
    .map(({ check }) => {
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
    ...events.flatMap((event) => {
      if (event.type === 'summary-rejected') return ['summary rejected'];
      if (event.type === 'summary-end' && event.state === 'failed') return ['summary failed'];
      if (event.type === 'law-violated' && !event.isKnown) return [`law ${event.law} violated`];
      if (event.type === 'moved-out') return describeMove(event);
      if (event.type !== 'pivot') return [];
      const { contextBeforeTokens, contextAfterTokens } = event;
      return [`pivot ${formatTokens(contextBeforeTokens)} → ${formatTokens(contextAfterTokens)}`];
    }),
  ];
}

/** Where nothing moved, nothing happened. */
function describeMove({
  messageIds,
}: RunEvent & { readonly type: 'moved-out' }): readonly string[] {
  return messageIds.length === 0 ? [] : [`${countOf(messageIds.length, 'message')} moved out`];
}

function renderSlide({ slidParts }: StepStory): readonly string[] {
  return slidParts === 0 ? [] : [`${countOf(slidParts, 'part')} left the view (window)`];
}

function renderGone({ gone = [] }: RunStory): readonly string[] {
  if (gone.length === 0) return [];
  const lines = gone.map(({ kind, text }) => {
    const shown = shownText(text);
    return `  ${kind}  ${kind === 'path' ? cutLeft(shown, PATH_WIDTH) : nameCell(text)}`;
  });
  return ['', 'No longer named at the end, outputs aside:', ...lines];
}

function renderHead({ policy, start, end, steps }: RunStory): readonly string[] {
  const played = steps.filter(({ facts }) => facts !== undefined).length;
  const state = end === undefined ? '' : `; ${end.state}${end.reason ? `: ${end.reason}` : ''}`;
  return [
    `${shownText(start?.session ?? '')} under ${policy.name}, ${shownText(start?.model ?? '')}, summarizer ${shownText(start?.summarizer ?? '')}`,
    `${countOf(played, 'step')} replayed${shownText(state)}`,
    '',
  ];
}

function renderOrigin({ origin }: ExplainedRun): readonly string[] {
  const text = shownText(describeOrigin(origin));
  return text === '' ? [] : ['', text];
}

function renderFacts({ step, turn, facts }: StepStory): string {
  if (facts === undefined) return `Step ${step} of turn ${turn} was not taken.`;
  const { messageId, contextTokens, outputTokens, viewMessages } = facts;
  const sent = `${formatTokens(contextTokens)} true tokens sent in ${countOf(viewMessages, 'message')}`;
  return `Step ${step} of turn ${turn}, ${shownText(messageId)}: ${sent}, ${formatTokens(outputTokens)} written`;
}

function renderSection(title: string, lines: readonly string[]): readonly string[] {
  const shown = lines.length === 0 ? ['nothing'] : lines;
  return ['', title, ...shown.map((line) => `  ${line}`)];
}
