import { leftOutLines } from './comparison.ts';
import { type Block, renderMarkdown, renderTerminal, untrusted } from './document.ts';
import { toPageOfTune } from './html/page-of-tune.ts';
import { renderPage } from './html/render-page.ts';
import { unreadList } from './kept.ts';
import { jsonText } from './markup.ts';
import { describeOrigin } from './origin.ts';
import { describeMode, type Terminal } from './report.ts';
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

/** Renderers of what tuning found, by the names of their formats; the default first. */
export const tuneFormats = {
  table: (report, terminal) => renderTerminal(tuneDocument(report), terminal),
  json: renderTuneJson,
  markdown: (report) => renderMarkdown(tuneDocument(report)),
  html: (report) => renderPage(toPageOfTune(report)),
} satisfies Record<string, (report: TuneReport, terminal: Terminal) => string>;

/** The outcome of tuning as a document, which ends with what to do. */
function tuneDocument(report: TuneReport): readonly Block[] {
  const { policy, model, summarizer, seed, mode, origin, advice, sessions, unread } = report;
  const { said, lead, written } = adviceOf(report);
  const [verdict = '', ...more] = [...said, ...lead];
  return [
    { type: 'heading', level: 2, text: 'Settings tuned' },
    {
      type: 'lines',
      lines: [
        [
          untrusted(policy),
          ', ',
          untrusted(model),
          ', summarizer ',
          untrusted(summarizer),
          `, seed ${seed}`,
        ],
      ],
    },
    { type: 'lines', lines: [describeGrid(report)] },
    {
      type: 'table',
      columns: frontColumns(report),
      rows: frontRows(report).map(([settings = '', ...cells]) => [untrusted(settings), ...cells]),
    },
    { type: 'lines', lines: [describeUnlisted(report), ...(report.savings ?? [])] },
    { type: 'list', title: 'Not feasible', items: describeInfeasible(report).map(untrusted) },
    {
      type: 'lines',
      lines: [describeTodayStatus(report), describeKneeLine(report), describeVolume(report)],
    },
    { type: 'list', title: 'Sensitivity', items: describeSensitivity(report) },
    ...advice.compared.map((candidate): Block => {
      const name = nameOf(candidate);
      return {
        type: 'list',
        title: [candidate.isKnee ? name : untrusted(name), ` ${describeBasis(candidate, report)}`],
        items: candidate.outcomes.map(describeOutcome),
      };
    }),
    { type: 'list', title: 'Left out', items: leftOutLines(sessions.leftOut) },
    unreadList(unread),
    { type: 'lines', lines: [describeMode(mode)] },
    { type: 'lines', lines: [untrusted(describeOrigin(origin))] },
    { type: 'heading', level: 3, text: 'What to do' },
    { type: 'lines', lines: [verdict, ...more.map(untrusted)] },
    ...written.map(({ where, text }): Block => ({ type: 'snippet', where, code: text })),
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
