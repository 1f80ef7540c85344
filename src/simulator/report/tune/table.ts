import { tableSections } from '../fit-columns.ts';
import { leftOutLines } from '../left-out.ts';
import { describeMode } from '../mode.ts';
import { describeOrigin } from '../origin.ts';
import type { Terminal } from '../report.ts';
import { joinSections, listSection } from '../sections.ts';
import { shownLines, shownText } from '../shown-text.ts';
import { describeUnread } from '../unread.ts';
import { fitProse } from '../wrap-prose.ts';
import { adviceOf, describeBasis, describeOutcome, nameOf } from './advice-lines.ts';
import {
  describeGrid,
  describeInfeasible,
  describeKneeLine,
  describeSensitivity,
  describeTodayStatus,
  describeUnlisted,
  describeVolume,
  frontColumns,
  frontRows,
} from './lines.ts';
import type { TuneReport } from './tune-report.ts';

/** What tuning found, for a terminal; it ends with what to do. */
export function renderTuneTable(report: TuneReport, terminal: Terminal): string {
  const prose = (text: string) => fitProse(text, terminal);
  const { said, lead, written } = adviceOf(report);
  return joinSections([
    prose(describeHead(report)),
    prose(describeGrid(report)),
    ...renderFront(report, terminal),
    ...describeFound(report).map(prose),
    prose(shownLines([...said, ...lead].join('\n'))),
    ...written.map(({ where, text }) => shownLines(`${where}\n${text}`)),
  ]);
}

function describeHead({ policy, model, summarizer, seed }: TuneReport): string {
  return shownText(`${policy}, ${model}, summarizer ${summarizer}, seed ${seed}`);
}

function renderFront(report: TuneReport, terminal: Terminal): readonly string[] {
  const rows = frontRows(report);
  if (rows.length === 0) return [];
  return tableSections({ columns: frontColumns(report), rows }, terminal, 'markdown');
}

/** What there is to say of the front, of today's settings and of what they were compared with. */
function describeFound(report: TuneReport): readonly string[] {
  const { mode, origin, advice, sessions, unread } = report;
  return [
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
    shownText(describeOrigin(origin)),
  ];
}
