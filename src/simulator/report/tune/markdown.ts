import { codeSpan, markdownTable } from '../code-span.ts';
import { leftOutLines } from '../left-out.ts';
import { describeMode } from '../mode.ts';
import { describeOrigin } from '../origin.ts';
import { joinMarkdown, markdownList } from '../sections.ts';
import { areOfNumbers, titlesOf } from '../text-table.ts';
import { describeUnread } from '../unread.ts';
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

const FENCE = '```';

/** What tuning found, to be kept; names from outside stand in code spans. */
export function renderTuneMarkdown(report: TuneReport): string {
  const { policy, model, summarizer, seed, mode, origin, advice, sessions, unread } = report;
  const sections = [
    ['## Settings tuned'],
    [`${codeSpan(policy)}, ${codeSpan(model)}, summarizer ${codeSpan(summarizer)}, seed ${seed}`],
    [describeGrid(report)],
    renderFront(report),
    [describeUnlisted(report)],
    markdownList('Not feasible', describeInfeasible(report).map(codeSpan)),
    [describeTodayStatus(report), describeKneeLine(report), describeVolume(report)].filter(
      (line) => line !== '',
    ),
    markdownList('Sensitivity', describeSensitivity(report)),
    ...advice.compared.map((candidate) => {
      const name = candidate.isKnee ? nameOf(candidate) : codeSpan(nameOf(candidate));
      return markdownList(
        `${name} ${describeBasis(candidate, report)}`,
        candidate.outcomes.map(describeOutcome),
      );
    }),
    markdownList('Left out', leftOutLines(sessions.leftOut, codeSpan)),
    markdownList(
      'Unread',
      unread.map((input) => codeSpan(describeUnread(input))),
    ),
    [describeMode(mode)],
    [codeSpan(describeOrigin(origin))],
    renderAdvice(report),
  ];
  return joinMarkdown(sections);
}

/** What is to be written somewhere stands in a fence of its own, so that it can be taken as it is. */
function renderAdvice(report: TuneReport): readonly string[] {
  const { said, lead, written } = adviceOf(report);
  const [verdict = '', ...more] = [...said, ...lead];
  const sentences = [verdict, ...more.map(codeSpan)];
  const fenced = written.flatMap(({ where, text }) => ['', where, '', FENCE, text, FENCE]);
  return ['### What to do', '', ...sentences, ...fenced];
}

function renderFront(report: TuneReport): readonly string[] {
  const rows = frontRows(report);
  if (rows.length === 0) return [];
  const columns = frontColumns(report);
  const lines = rows.map(([settings = '', ...cells]) => [codeSpan(settings), ...cells]);
  return markdownTable(titlesOf(columns), lines, areOfNumbers(columns));
}
