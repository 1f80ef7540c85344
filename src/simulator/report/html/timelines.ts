/** Runs as timelines of a page, and the sections of its sessions. */

import type { RunEvent } from '../../events.ts';
import { groupBy } from '../../lib/collections.ts';
import { countsAs, type RunRecord } from '../../metrics/record.ts';
import { isLoss } from '../../metrics/explain.ts';
import { armBlocks } from '../arm-table.ts';
import type { Arm } from '../arms.ts';
import { type Block, linesOf, listOf, untrusted } from '../document.ts';
import { renderEvent } from '../explain-moment.ts';
import { shownLines, shownText } from '../markup.ts';
import { countOf, formatCount } from '../numbers.ts';
import { describeEnding, type RenderOptions } from '../report.ts';
import { MARK_KINDS, type SawtoothPlot } from '../sawtooth.ts';
import { conclude } from '../verdict.ts';
import { verdictBlock } from '../verdict-lines.ts';
import type { Moment, MomentKind, Plot, RunView, TimelineRun } from '../plots.ts';
import told from './moments.json' with { type: 'json' };

type Pictures = Pick<RenderOptions, 'eventsOf' | 'viewOf'>;

interface DrawnRun {
  readonly name: string;
  readonly isHollow?: boolean;
  readonly events: readonly RunEvent[];
  readonly view?: RunView | undefined;
}

type Described = readonly [kind: MomentKind, words: string];
type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

const LONGEST_TEXT = 20_000;
const MARKED: Readonly<Record<string, Moment[1]>> = {
  prune: 'prune',
  pivot: 'pivot',
  refusal: 'refusal',
  'model change': 'model',
};

/** Events that `explain` tells in the same words. */
const TOLD_ALIKE: Readonly<Partial<Record<RunEvent['type'], MomentKind>>> = {
  'summary-end': 'summary',
  'summary-rejected': 'failure',
  'summary-repeated': 'summary',
  'usage-ignored': 'failure',
  'moved-out': 'lost',
  'prune-end': 'prune',
  pivot: 'pivot',
  'law-violated': 'law',
};

/** A section for each session: its verdict, its arms, then what happened step by step. */
export function sessionSections(
  runs: readonly RunRecord[],
  arms: readonly Arm[],
  {
    titled,
    noTimeline,
    nameOf = ({ policy }: RunRecord) => policy,
    eventsOf,
    viewOf,
  }: Pictures & {
    readonly titled: (session: string) => string;
    readonly noTimeline: string;
    readonly nameOf?: (run: RunRecord) => string;
  },
): readonly Block[] {
  return [...groupBy(runs, ({ session }) => session)].map(([session, own]): Block => {
    const ownArms = arms
      .map(({ name, runs: all }) => ({ name, runs: all.filter((run) => run.session === session) }))
      .filter((arm) => arm.runs.length > 0);
    const conclusion = conclude(ownArms);
    const drawn = own.map((run) => {
      const isHollow = run.impossible !== undefined;
      return { name: nameOf(run), isHollow, events: eventsOf?.(run) ?? [], view: viewOf?.(run) };
    });
    const ends = own.flatMap((run) => {
      const { impossible, reason = impossible } = run;
      if (reason === undefined) return [];
      return [untrusted(`${nameOf(run)}: ${describeEnding({ state: countsAs(run), reason })}`)];
    });
    const timeline = timelineOf('The context over the steps', drawn);
    return {
      type: 'section',
      title: untrusted(titled(session)),
      about: session,
      blocks: [
        verdictBlock(conclusion),
        ...armBlocks(ownArms, conclusion).filter(({ type }) => type !== 'plot'),
        listOf('Not completed', ends),
        timeline === undefined ? linesOf([noTimeline]) : { type: 'plot', plot: timeline },
        linesOf([['Session ', untrusted(session)]]),
      ],
    };
  });
}

/** Runs laid over each other; `undefined` where none has a step. */
export function timelineOf(title: string, runs: readonly DrawnRun[]): Plot | undefined {
  const drawn = runs.map(toTimelineRun).filter(({ context }) => context.length > 0);
  return drawn.length === 0 ? undefined : { kind: 'timeline', title, runs: drawn };
}

/** Of a run of which only its drawing was kept. */
export function timelineOfPlot(name: string, plot: SawtoothPlot): TimelineRun {
  const moments = plot.marks.flatMap(({ kind, steps }) =>
    steps.map(
      (step): Moment => [step - 1, MARKED[kind] ?? 'failure', `A ${MARK_KINDS[kind]?.one}.`],
    ),
  );
  return {
    name,
    usable: plot.usableTokens[0] ?? null,
    context: plot.contextTokens,
    moments: moments.toSorted(([a], [b]) => a - b),
  };
}

export function toTimelineRun({ name, isHollow = false, events, view }: DrawnRun): TimelineRun {
  const steps = events.filter((event) => event.type === 'step-end');
  const flags = steps.map(({ opensTurn, isCold, reread, lostTokens }) =>
    [
      opensTurn ? 'begins a turn' : '',
      isCold ? 'after an idle gap, nothing was left in the cache' : '',
      reread === undefined ? '' : 're-reads what was lost',
      lostTokens ? 'breaks the cached prefix' : '',
    ].filter((words) => words !== ''),
  );
  return {
    name,
    isHollow,
    usable: events.find((event) => event.type === 'run-start')?.usableTokens ?? null,
    context: steps.map(({ contextTokens }) => contextTokens),
    cached: steps.map(({ cacheReadTokens }) => cacheReadTokens),
    written: steps.map(({ cacheWriteTokens }) => cacheWriteTokens),
    output: steps.map(({ outputTokens }) => outputTokens),
    flags: Object.fromEntries(
      flags.flatMap((words, step) => (words.length === 0 ? [] : [[step, words.join(', ')]])),
    ),
    moments: momentsOf(events, view?.texts?.losses),
    view: view && toShownView(view),
  };
}

/** Nothing where an event needs no mark. */
export function describeMoment(event: RunEvent): Described | undefined {
  const kind = TOLD_ALIKE[event.type];
  if (kind === undefined) return describeEvent(event);
  const [line] = renderEvent(event);
  return line === undefined
    ? undefined
    : [kind, `${line.charAt(0).toUpperCase()}${line.slice(1)}.`];
}

function momentsOf(events: readonly RunEvent[], losses: readonly string[] = []) {
  const moments: Moment[] = [];
  const names = losses.values();
  let steps = 0;
  for (const event of events) {
    if (event.type === 'step-end') steps += 1;
    const lost = isLoss(event) ? names.next().value : undefined;
    const [kind, words = ''] = describeMoment(event) ?? [];
    if (kind === undefined) continue;
    // An event just before a step belongs to it, any other to the step before.
    const at = event.type === 'reference' ? steps : Math.max(0, steps - 1);
    moments.push([at, kind, shownText(lost ? `${words} It was: ${cutText(lost)}` : words)]);
  }
  return moments;
}

function toShownView({ texts, kinds, ...sizes }: RunView) {
  const shown = { ...sizes, kinds: kinds.map(shownText) };
  if (texts === undefined) return shown;
  const { losses: _, pool, ...indices } = texts;
  return { ...shown, texts: { ...indices, pool: pool.map((text) => shownLines(cutText(text))) } };
}

function cutText(text: string) {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT)}\n… ${countOf(text.length - LONGEST_TEXT, 'more character')}`;
}

function describeEvent(event: RunEvent): Described | undefined {
  switch (event.type) {
    case 'step-refused': {
      const { contextTokens, windowTokens, isRecognised } = event;
      const how = isRecognised ? 'recognises' : 'does not recognise';
      return [
        'refusal',
        `Refused: ${tokens(contextTokens)} for a window of ${tokens(windowTokens)}; the policy ${how} this error.`,
      ];
    }
    case 'step-malformed':
      return ['refusal', `Malformed request: ${event.reason}.`];
    case 'step-truncated': {
      const { contextTokens, keptTokens } = event;
      return ['refusal', `Silently cut: ${tokens(contextTokens)} became ${tokens(keptTokens)}.`];
    }
    case 'request-failed': {
      const { of, failure, waitMs } = event;
      const then = waitMs === undefined ? 'not retried' : `retried after ${formatCount(waitMs)} ms`;
      return ['failure', `Request of a ${of} failed (${failure}); ${then}.`];
    }
    case 'model-changed': {
      const { model, limits, usableTokens: usable } = event;
      const limit = usable === undefined ? 'no usable limit' : `usable ${formatCount(usable)}`;
      const context = formatCount(limits.contextTokens);
      return ['model', `From here on ${model}, context ${context}, ${limit}.`];
    }
    case 'overflow':
      return ['overflow', `Overflow ${told.overflow[event.path]}${describeExcess(event)}.`];
    case 'reference': {
      const { missedBy, kind, sinceStep, tokens: size } = event;
      if (missedBy === undefined) return undefined;
      const lost = `${tokens(size)} of step ${sinceStep} needed (${told.needed[kind]})`;
      return ['miss', `Loss: ${lost}, removed by ${told.keptOut[missedBy]}.`];
    }
    case 'eviction':
      return [
        'lost',
        `${countOf(event.parts, 'part')} left the view by ${told.keptOut[event.by]}.`,
      ];
    case 'standing':
      return describeStanding(event);
    case 'run-end': {
      const { state, reason, finalContextTokens: final } = event;
      const why = reason === undefined ? '' : `, ${reason}`;
      const next = final === undefined ? '' : `; the next request would hold ${tokens(final)}`;
      return ['end', `End: ${state}${why}${next}.`];
    }
    default:
      return undefined;
  }
}

function describeExcess({ countTokens: count, usableTokens: usable }: EventOf<'overflow'>) {
  if (count === undefined || usable === undefined) return '';
  const excess = `${count < usable ? '' : '+'}${formatCount(count - usable)}`;
  return `: counted ${tokens(count)}, usable ${tokens(usable)} (${excess})`;
}

function describeStanding(event: EventOf<'standing'>): Described | undefined {
  const { at, goneConstraints, gonePaths, constraints, paths } = event;
  if (goneConstraints.length + gonePaths.length === 0) return undefined;
  const gone = `${goneConstraints.length} of ${constraints} constraints, ${gonePaths.length} of ${paths} paths`;
  return ['lost', `No longer named ${told.standing[at]}: ${gone}.`];
}

function tokens(value: number) {
  return countOf(value, 'token');
}
