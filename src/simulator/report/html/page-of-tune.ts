import { leftOutLines } from '../comparison.ts';
import { textOf } from '../document.ts';
import { countOf } from '../numbers.ts';
import { pairsOf } from '../origin.ts';
import { describeMode } from '../report.ts';
import { adviceOf, describeBasis, describeOutcome, nameOf } from '../tune-advice.ts';
import {
  describeGrid,
  describeInfeasible,
  describeKneeLine,
  describeSettings,
  describeTodayStatus,
  describeTried,
  describeUnlisted,
  frontColumns,
  frontRows,
  type TunedPoint,
  type TuneReport,
} from '../tune-report.ts';
import { verdictSentences } from '../tune-verdict.ts';
import type { PageData, PageList, PagePlane, PagePoint } from './page-data.ts';
import { originFacts, pageTable } from './page-parts.ts';
import { emptyPage } from './render-page.ts';

/** A cell, or today's settings where they are none that may be chosen. */
type Drawn = Pick<TunedPoint, 'settings' | 'isToday'> & {
  readonly isKnee?: boolean;
  readonly values: readonly (number | null)[];
};

/** Converts tuning to a page: the advice, all cells as points, then the evidence. */
export function toPageOfTune(report: TuneReport): PageData {
  const { policy, model, sessions, cells, unread } = report;
  const { said, lead, written } = adviceOf(report);
  return {
    ...emptyPage(unread),
    title: `${policy} tuned on ${countOf(sessions.tuning, 'session')} over ${countOf(cells.all, 'cell')}`,
    notes: [...verdictSentences(report), ...describeTried(report), ...said, ...aboutFront(report)],
    snippets: { lead, texts: written },
    plane: toPlane(report),
    tables: pageTable('front', 'Front', {
      columns: frontColumns(report),
      rows: frontRows(report),
    }),
    lists: toLists(report),
    facts: originFacts(
      [
        { label: 'Policy', value: policy },
        { label: 'Model', value: model },
      ],
      report,
    ),
    evidence: `${describeGrid(report)} ${describeMode(report.mode)}`,
  };
}

function aboutFront(report: TuneReport): readonly string[] {
  const told = [describeTodayStatus, describeKneeLine, describeUnlisted];
  return told.map((describe) => describe(report)).filter((line) => line !== '');
}

function toLists(report: TuneReport): readonly PageList[] {
  const { advice, sessions } = report;
  const lists = [
    ...advice.compared.map((candidate) => ({
      title: `${nameOf(candidate)} ${describeBasis(candidate, report)}`,
      lines: candidate.outcomes.map(describeOutcome),
    })),
    { title: 'Not feasible', lines: describeInfeasible(report) },
    { title: 'Left out', lines: leftOutLines(sessions.leftOut).map(textOf) },
  ];
  return lists.filter(({ lines }) => lines.length > 0);
}

function toPlane({ objectives, cells, today, tried }: TuneReport): PagePlane {
  const dead = new Set<string>(
    tried.filter(({ matters }) => !matters).map(({ setting }) => setting),
  );
  const toOwn = (drawn: Drawn) => toPoint(drawn, dead);
  const isUnseen = today.state === 'infeasible' && today.values.some((value) => value !== null);
  return {
    axes: objectives.map(({ name, label, unit, better }) => ({
      name,
      label: `${label}, mean`,
      unit,
      better,
    })),
    points: [
      ...cells.feasible.map(toOwn),
      ...(isUnseen ? [{ ...toOwn({ ...today, isToday: true }), isFaint: true }] : []),
    ],
    faint: 'breaks a constraint',
  };
}

/** A point whose name is told from others' by all settings but those that change nothing. */
function toPoint(
  { settings, values, isToday, isKnee }: Drawn,
  dead: ReadonlySet<string>,
): PagePoint {
  const mark = isToday ? 'today' : isKnee === true ? 'knee' : undefined;
  const telling = Object.entries(settings).filter(([name]) => !dead.has(name));
  const parts = pairsOf(Object.fromEntries(telling));
  return { name: describeSettings(settings), parts, values, ...(mark && { mark }) };
}
