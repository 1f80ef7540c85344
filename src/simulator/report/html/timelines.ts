/** Runs as timelines of a page, and the sections of its sessions. */

import type { RunEvent } from '../../events.ts';
import { groupBy } from '../../lib/collections.ts';
import { countsAs, type RunRecord } from '../../metrics/record.ts';
import { isLoss } from '../../metrics/tell-loss.ts';
import { armBlocks } from '../arm-table.ts';
import type { Arm } from '../arms.ts';
import { type Block, untrusted } from '../document.ts';
import { shownLines, shownText } from '../markup.ts';
import { countOf } from '../numbers.ts';
import type { Moment, Plot, TimelineRun } from '../plots.ts';
import { describeEnding, type RenderOptions } from '../report.ts';
import type { RunView } from '../saved/run-view.ts';
import type { SawtoothPlot } from '../sawtooth.ts';
import { conclude } from '../verdict.ts';
import { verdictBlock } from '../verdict-lines.ts';
import { describeMoment } from './describe-moment.ts';

/** Events and views of runs, where they are known. */
export type Pictures = Pick<RenderOptions, 'eventsOf' | 'viewOf'>;

interface DrawnRun {
  readonly name: string;
  readonly isHollow?: boolean;
  readonly events: readonly RunEvent[];
  readonly view?: RunView | undefined;
}

/** Longest text that a page has of one part, in characters. */
const LONGEST_TEXT = 20_000;
const MARKED: Readonly<Record<string, Moment[1]>> = {
  prune: 'prune',
  pivot: 'pivot',
  refusal: 'refusal',
  'model change': 'model',
};

/** A section for each session: its verdict, its arms, then what happened step by step. */
export function sessionSections(
  runs: readonly RunRecord[],
  arms: readonly Arm[],
  {
    names,
    noTimeline,
    nameOf = ({ policy }: RunRecord) => policy,
    eventsOf,
    viewOf,
  }: Pictures & {
    readonly names: ReadonlyMap<string, string>;
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
      title: untrusted(names.get(session) ?? session),
      about: session,
      blocks: [
        verdictBlock(conclusion),
        ...armBlocks(ownArms, conclusion).filter(({ type }) => type !== 'plot'),
        { type: 'list', title: 'Not completed', items: ends },
        timeline === undefined
          ? { type: 'lines', lines: [noTimeline] }
          : { type: 'plot', plot: timeline },
        { type: 'lines', lines: [['Session ', untrusted(session)]] },
      ],
    };
  });
}

/** The contexts of runs whose events are known, for small drawings of sessions. */
export function contextsOf(
  runs: readonly RunRecord[],
  { eventsOf }: Pictures,
): ReadonlyMap<string, readonly number[]> {
  return new Map(
    [...groupBy(runs, ({ session }) => session)].map(([session, own]) => {
      const events = own.toReversed().map((run) => eventsOf?.(run) ?? []);
      const first = events.find((some) => some.some(({ type }) => type === 'pivot'));
      const steps = (first ?? events[0] ?? []).filter((event) => event.type === 'step-end');
      return [session, steps.map(({ contextTokens }) => contextTokens)];
    }),
  );
}

/** Runs laid over each other; `undefined` where none has a step. */
export function timelineOf(title: string, runs: readonly DrawnRun[]): Plot | undefined {
  const drawn = runs.map(toTimelineRun).filter(({ context }) => context.length > 0);
  return drawn.length === 0 ? undefined : { kind: 'timeline', title, runs: drawn };
}

/** The same of a run of which only its drawing was kept. */
export function timelineOfPlot(name: string, plot: SawtoothPlot): TimelineRun {
  const moments = plot.marks.flatMap(({ kind, steps }) =>
    steps.map((step): Moment => [step - 1, MARKED[kind.id] ?? 'failure', `A ${kind.one}.`]),
  );
  return {
    name,
    usable: plot.usableTokens[0] ?? null,
    context: plot.sizes,
    moments: moments.toSorted(([a], [b]) => a - b),
  };
}

/** Folds the events of one run into what a page draws. */
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

function momentsOf(events: readonly RunEvent[], losses: readonly string[] = []): readonly Moment[] {
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

function toShownView({ texts, kinds, ...sizes }: RunView): RunView {
  const shown = { ...sizes, kinds: kinds.map(shownText) };
  if (texts === undefined) return shown;
  const { losses: _, pool, ...indices } = texts;
  return { ...shown, texts: { ...indices, pool: pool.map((text) => shownLines(cutText(text))) } };
}

function cutText(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT)}\n… ${countOf(text.length - LONGEST_TEXT, 'more character')}`;
}
