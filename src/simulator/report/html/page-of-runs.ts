import type { RunEvent } from '../../events.ts';
import type { Metric } from '../../metrics/metric.ts';
import {
  METRIC_NAMES,
  type MetricName,
  metrics,
  type MetricValues,
  titleOf,
} from '../../metrics/metrics.ts';
import { countsAs, type RunRecord } from '../../metrics/record.ts';
import { describeSavings, totalPolicies } from '../run-notes.ts';
import { countOf } from '../numbers.ts';
import { describeEvidence, provenanceFacts } from '../provenance.ts';
import type { Format, RenderOptions, Report } from '../report.ts';
import { isLoss } from '../../metrics/tell-loss.ts';
import type { RunView } from '../saved/shapes.ts';
import { toStories } from '../session-names.ts';
import { armsOfPolicies, netUsdOf } from '../arms.ts';
import { conclude } from '../verdict.ts';
import { verdictNotes } from '../verdict-lines.ts';
import { describeMoment } from './describe-moment.ts';
import { toPageArms } from './page-arms.ts';
import {
  type Moment,
  type PageData,
  type PageMetric,
  type PageRun,
  rulesOf,
  type RunDetail,
  STEP_FLAGS,
} from './page-data.ts';
import { findDistances } from './page-of-comparison.ts';
import { findPeers, namesOf } from './page-parts.ts';
import { renderPage } from './render-page.ts';

/** Events and views of runs, where they are known. */
export type Pictures = Pick<RenderOptions, 'eventsOf' | 'viewOf'>;

type StepEnd = Extract<RunEvent, { readonly type: 'step-end' }>;

/** Columns that grow step by step. */
type Growing<T> = {
  -readonly [Key in keyof T]: T[Key] extends readonly (infer V)[] ? V[] : T[Key];
};

const MAIN_METRICS: readonly MetricName[] = [
  'steps',
  'peakContextTokens',
  'overflows',
  'refusals',
  'compactions',
  'prunes',
  'tokensSaved',
  'costUsd',
  'costSavedUsd',
  'hitRate',
  'misses',
  'missesAboveBound',
  'regretUsd',
  'competitiveRatio',
  'costAboveBoundUsd',
  'gonePaths',
];

/** All metrics as a page tells them. */
export const PAGE_METRICS: readonly PageMetric[] = METRIC_NAMES.map((name) => {
  const { unit, better, describes }: Metric = metrics[name];
  return {
    name,
    label: titleOf(name),
    unit,
    ...(better && { better }),
    describes,
    isMain: MAIN_METRICS.includes(name),
  };
});

/** Most ids that one moment names; a page is to stay small. */
const MOST_IDS = 40;

/** Longest text that a page has of one part, in characters. */
const LONGEST_TEXT = 20_000;

/** The report as one page for a browser, with everything in it that it needs. */
export const html: Format = {
  needsEvents: true,
  extension: '.html',
  describes: 'One page for a browser: tables, charts, every session step by step.',
  render: (report, options) => renderPage(toPageOfRuns(report, options)),
};

/** The values of some metrics in the order of a page. */
export function toValues(values: MetricValues): readonly (number | null)[] {
  return METRIC_NAMES.map((name) => values[name]);
}

/** Converts a report of runs to a page, with pictures of those whose events are known. */
export function toPageOfRuns(report: Report, pictures: Pictures): PageData {
  const { runs, provenance, unread } = report;
  const totals = totalPolicies(runs);
  const arms = armsOfPolicies(runs);
  const conclusion = conclude(arms);
  const sessions = [...new Set(runs.map(({ session }) => session))];
  const byPolicy = totals.map(({ policy }) => runs.filter((run) => run.policy === policy));
  const groupOf = new Map(totals.map(({ policy }, index) => [policy, index]));
  const sessionOf = new Map(sessions.map((session, index) => [session, index]));
  const pageRuns = runs.map((run): PageRun => {
    const place = { s: sessionOf.get(run.session) ?? 0, g: groupOf.get(run.policy) ?? 0 };
    return toPageRun(run, place, detailOf(run, pictures));
  });
  return {
    title: `Compaction of ${countOf(conclusion.allSessions, 'session')}`,
    groupTitles: ['Policy'],
    arms: toPageArms(arms, conclusion),
    peers: findPeers(totals, pageRuns),
    groups: totals.map(({ policy, metrics: values, ...counts }) => {
      return {
        names: [policy],
        runs: counts.runs,
        completedRuns: counts.completedRuns,
        values: toValues(values),
        rules: rulesOf(provenance.policies.find(({ name }) => name === policy) ?? {}),
      };
    }),
    metrics: PAGE_METRICS,
    sessions,
    sessionNames: namesOf(sessions, toStories(provenance.estimators.sessions)),
    runs: pageRuns,
    bounds: findDistances(byPolicy),
    verdict: verdictNotes(conclusion),
    notes: [...describeSavings(runs), ...notesOf(pageRuns)],
    facts: provenanceFacts(provenance),
    evidence: describeEvidence(provenance),
    unread,
  };
}

/** A run as a page has it. */
export function toPageRun(
  run: Pick<RunRecord, 'seed' | 'state' | 'reason' | 'impossible' | 'mode' | 'metrics'>,
  place: Pick<PageRun, 's' | 'g'>,
  detail?: RunDetail,
): PageRun {
  const { seed, impossible, reason = impossible, metrics: values } = run;
  return {
    ...place,
    seed,
    state: countsAs(run),
    ...(reason !== undefined && { reason }),
    v: toValues(values),
    net: netUsdOf(run),
    ...(detail && { d: detail }),
  };
}

/** The steps of a run, where its events are known. */
export function detailOf(run: RunRecord, { eventsOf, viewOf }: Pictures): RunDetail | undefined {
  const events = eventsOf?.(run);
  return events && toRunDetail(events, viewOf?.(run));
}

/** Folds the events of one run into what a page draws; `undefined` where it has no step. */
export function toRunDetail(events: readonly RunEvent[], view?: RunView): RunDetail | undefined {
  const detail = emptyDetail();
  const lost = [...(view?.texts?.losses ?? [])].values();
  for (const event of events) {
    if (event.type === 'run-start') {
      detail.usable = event.usableTokens ?? null;
      detail.window = event.limits.contextTokens;
      detail.base = event.basis.overheadTokens;
    }
    if (event.type === 'step-end') addStep(detail, event);
    const moment = describeMoment(event);
    if (moment !== undefined) {
      const ids = (moment.ids ?? []).slice(0, MOST_IDS);
      const at = placeOf(event, detail.context.length);
      const named = isLoss(event) ? (lost.next().value ?? '') : '';
      const words = named === '' ? moment.words : `${moment.words} It was: ${cutText(named)}`;
      const entry: Moment = [at, moment.kind, words];
      detail.moments.push(ids.length === 0 ? entry : [at, moment.kind, words, ids]);
    }
  }
  if (detail.context.length === 0) return undefined;
  return view === undefined ? detail : { ...detail, view: shortenTexts(view) };
}

function notesOf(runs: readonly PageRun[]): readonly string[] {
  const without = runs.filter(({ d, state }) => d === undefined && state !== 'skipped').length;
  if (without === 0) return [];
  const which = without === runs.length ? 'The runs' : countOf(without, 'run');
  const have =
    without === 1 && without < runs.length ? 'has no timeline: its' : 'have no timeline: their';
  return [`${which} ${have} events were not saved (run --events FILE).`];
}

function emptyDetail(): Growing<Omit<RunDetail, 'view'>> {
  return {
    usable: null,
    window: 0,
    base: 0,
    context: [],
    cached: [],
    written: [],
    output: [],
    turn: [],
    flags: [],
    moments: [],
  };
}

function addStep(detail: Growing<Omit<RunDetail, 'view'>>, event: StepEnd): void {
  detail.context.push(event.contextTokens);
  detail.cached.push(event.cacheReadTokens);
  detail.written.push(event.cacheWriteTokens);
  detail.output.push(event.outputTokens);
  detail.turn.push(event.turn);
  detail.flags.push(
    (event.opensTurn ? STEP_FLAGS.opensTurn : 0) +
      (event.isCold ? STEP_FLAGS.isCold : 0) +
      (event.reread === undefined ? 0 : STEP_FLAGS.isReread) +
      (event.lostTokens ? STEP_FLAGS.breaksPrefix : 0),
  );
}

/** An event just before a step belongs to it, any other to the step before. */
function placeOf(event: RunEvent, steps: number): number {
  return event.type === 'reference' ? steps : Math.max(0, steps - 1);
}

function shortenTexts(view: RunView): RunView {
  const { texts } = view;
  if (texts === undefined) return view;
  const { losses: _, ...shown } = texts;
  return { ...view, texts: { ...shown, pool: texts.pool.map(cutText) } };
}

function cutText(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT)}\n… ${countOf(text.length - LONGEST_TEXT, 'more character')}`;
}
