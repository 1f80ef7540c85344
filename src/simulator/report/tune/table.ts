import { alignRows } from '../align-rows.ts';
import { leftOutLines } from '../left-out.ts';
import { describeMode } from '../mode.ts';
import { joinSections, listSection } from '../sections.ts';
import { shownLines, shownText } from '../shown-text.ts';
import { describeUnread } from '../unread.ts';
import { adviceLines, describeBasis, describeOutcome, nameOf } from './advice-lines.ts';
import {
  describeGrid,
  describeInfeasible,
  describeKneeLine,
  describeSensitivity,
  describeTodayStatus,
  describeUnlisted,
  describeVolume,
  frontRows,
} from './lines.ts';
import type { TuneReport } from './tune-report.ts';

/** What tuning found, for a terminal; it ends with what to do. */
export function renderTuneTable(report: TuneReport): string {
  const { policy, model, summarizer, seed, mode, advice, sessions, unread } = report;
  const sections = [
    shownText(`${policy}, ${model}, summarizer ${summarizer}, seed ${seed}`),
    describeGrid(report),
    alignRows(frontRows(report)),
    describeUnlisted(report),
    listSection('Not feasible:', describeInfeasible(report)),
    [describeTodayStatus(report), describeKneeLine(report), describeVolume(report)]
      .filter((line) => line !== '')
      .join('\n'),
    listSection('Sensitivity:', describeSensitivity(report)),
    ...advice.compared.map((candidate) =>
      listSection(
        shownText(`${nameOf(candidate)} ${describeBasis(candidate, report)}:`),
        candidate.outcomes.map(describeOutcome),
      ),
    ),
    listSection('Left out:', leftOutLines(sessions.leftOut)),
    listSection('Unread:', unread.map(describeUnread)),
    describeMode(mode),
    shownLines(adviceLines(report).join('\n')),
  ];
  return joinSections(sections);
}
