import { leftOutLines } from './comparison.ts';
import { toPageOfTune } from './html/page-of-tune.ts';
import { renderPage } from './html/render-page.ts';
import { describeUnread } from './kept.ts';
import {
  codeSpan,
  joinMarkdown,
  joinSections,
  jsonText,
  listSection,
  markdownList,
  markdownTable,
  shownLines,
  shownText,
} from './markup.ts';
import { describeOrigin } from './origin.ts';
import { fitProse } from './prose.ts';
import { describeMode, type Terminal } from './report.ts';
import { areOfNumbers, tableSections, titlesOf } from './text-table.ts';
import {
  adviceOf,
  changedSettings,
  describeBasis,
  describeOutcome,
  nameOf,
  toConfigChange,
} from './tune-advice.ts';
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
  TUNE_VERSION,
  type TuneReport,
} from './tune-report.ts';

const FENCE = '```';

/** How what tuning found is written down, by name; the default first. */
export const tuneFormats = {
  table: renderTuneTable,
  json: renderTuneJson,
  markdown: renderTuneMarkdown,
  html: (report: TuneReport) => renderPage(toPageOfTune(report)),
} satisfies Record<string, (report: TuneReport, terminal: Terminal) => string>;

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

/** What tuning found, for a terminal; it ends with what to do. */
export function renderTuneTable(report: TuneReport, terminal: Terminal): string {
  const prose = (text: string) => fitProse(text, terminal);
  const { said, lead, written } = adviceOf(report);
  return joinSections([
    prose(describeHead(report)),
    prose(describeGrid(report)),
    ...renderFrontOfTable(report, terminal),
    ...describeFound(report).map(prose),
    prose(shownLines([...said, ...lead].join('\n'))),
    ...written.map(({ where, text }) => shownLines(`${where}\n${text}`)),
  ]);
}

function renderFront(report: TuneReport): readonly string[] {
  const rows = frontRows(report);
  if (rows.length === 0) return [];
  const columns = frontColumns(report);
  const lines = rows.map(([settings = '', ...cells]) => [codeSpan(settings), ...cells]);
  return markdownTable(titlesOf(columns), lines, areOfNumbers(columns));
}

/** What is to be written somewhere stands in a fence of its own, so that it can be taken as it is. */
function renderAdvice(report: TuneReport): readonly string[] {
  const { said, lead, written } = adviceOf(report);
  const [verdict = '', ...more] = [...said, ...lead];
  const sentences = [verdict, ...more.map(codeSpan)];
  const fenced = written.flatMap(({ where, text }) => ['', where, '', FENCE, text, FENCE]);
  return ['### What to do', '', ...sentences, ...fenced];
}

function describeHead({ policy, model, summarizer, seed }: TuneReport): string {
  return shownText(`${policy}, ${model}, summarizer ${summarizer}, seed ${seed}`);
}

function renderFrontOfTable(report: TuneReport, terminal: Terminal): readonly string[] {
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

/** Everything, for programs, with what to write in a configuration. */
function renderTuneJson(report: TuneReport): string {
  const { advice, policy, today } = report;
  const isChange = advice.state === 'change' || advice.state === 'trade-off';
  const config = isChange
    ? toConfigChange(policy, changedSettings(advice.settings, today.settings))
    : null;
  const document = { tuneVersion: TUNE_VERSION, ...report, config };
  return jsonText(document);
}
