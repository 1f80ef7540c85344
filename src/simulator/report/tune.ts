import { describeCopies, isCopyReason } from './arm-table.ts';
import { leftOutLines } from './comparison.ts';
import { type Block, renderMarkdown, renderTerminal, untrusted } from './document.ts';
import { toPageOfTune } from './html/page-of-tune.ts';
import { renderPage } from './html/render-page.ts';
import { unreadList } from './kept.ts';
import { jsonText } from './markup.ts';
import { describeOrigin } from './origin.ts';
import { describeMode, type Terminal } from './report.ts';
import { toConfigChange } from './agent-keys.ts';
import { adviceOf, describeBasis, describeOutcome, nameOf } from './tune-advice.ts';
import {
  describeGrid,
  describeInfeasible,
  describeKneeLine,
  describeTodayStatus,
  triedTexts,
  describeUnlisted,
  frontColumns,
  frontRows,
  TUNE_VERSION,
  type TuneReport,
} from './tune-report.ts';
import { verdictSentences, verdictTexts } from './tune-verdict.ts';

/** Renderers of what tuning found, by the names of their formats; the default first. */
export const tuneFormats = {
  table: (report, terminal) => renderTerminal(tuneDocument(report), terminal),
  json: renderTuneJson,
  markdown: (report) => renderMarkdown(tuneDocument(report)),
  html: (report) => renderPage(toPageOfTune(report)),
} satisfies Record<string, (report: TuneReport, terminal: Terminal) => string>;

/** The outcome of tuning as a document, which begins with what to do. */
function tuneDocument(report: TuneReport): readonly Block[] {
  const { policy, model, summarizer, seed, mode, origin, advice, sessions, unread } = report;
  const { said, lead, written } = adviceOf(report);
  return [
    { type: 'heading', level: 2, text: 'Settings tuned' },
    { type: 'lines', lines: verdictTexts(report), areItems: true },
    { type: 'lines', lines: lead.map(untrusted) },
    ...written.map(({ where, text }): Block => ({ type: 'snippet', where, code: text })),
    { type: 'lines', lines: triedTexts(report) },
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
      lines: [describeTodayStatus(report), describeKneeLine(report), ...said].map(untrusted),
    },
    ...advice.compared.map((candidate): Block => {
      const name = nameOf(candidate);
      return {
        type: 'list',
        title: [candidate.isKnee ? name : untrusted(name), ` ${describeBasis(candidate, report)}`],
        items: candidate.outcomes.map(describeOutcome),
      };
    }),
    {
      type: 'list',
      title: 'Left out',
      items: leftOutLines(sessions.leftOut.filter(({ reason }) => !isCopyReason(reason))),
    },
    {
      type: 'lines',
      lines: describeCopies(sessions.leftOut.filter(({ reason }) => isCopyReason(reason)).length),
    },
    unreadList(unread),
    { type: 'lines', lines: [describeMode(mode)] },
    { type: 'lines', lines: [untrusted(describeOrigin(origin))], isWrapped: true },
  ];
}

/** Everything, for programs, with what to write in a configuration. */
function renderTuneJson(report: TuneReport): string {
  const { policy, trigger } = report;
  const verdict = { ...report.verdict, sentences: verdictSentences(report) };
  const config = toConfigChange(policy, verdict.change, trigger);
  return jsonText({ tuneVersion: TUNE_VERSION, ...report, verdict, config });
}
