import { describeCopies, isCopyReason } from './arm-table.ts';
import { toConfigChange } from './agent-keys.ts';
import { leftOutLines } from './comparison.ts';
import {
  asDetails,
  type Block,
  renderMarkdown,
  renderTerminal,
  type Text,
  textOf,
  untrusted,
} from './document.ts';
import { renderSvg } from './html/draw-chart.ts';
import { renderHtml } from './html/render-html.ts';
import { unreadList } from './run-notes.ts';
import { jsonText } from './markup.ts';
import { countOf } from './numbers.ts';
import { describeOrigin } from './origin.ts';
import type { Plot } from './plots.ts';
import { describeMode, type Terminal } from './report.ts';
import {
  adviceBlocks,
  adviceLines,
  describeBasis,
  describeGrid,
  describeInfeasible,
  describeKneeLine,
  describeOutcome,
  describeSettings,
  describeTodayStatus,
  describeUnlisted,
  evidenceLines,
  frontColumns,
  frontRows,
  nameOf,
  snippetsOf,
  triedTexts,
} from './tune-advice.ts';
import { TUNE_VERSION, type TuneReport } from './tune-report.ts';

/** Renderers of what tuning found, by the names of their formats; the default first. */
export const tuneFormats = {
  table: (report, terminal) => renderTerminal(tuneDocument(report), terminal),
  json: (report) => {
    const { policy, trigger, verdict } = report;
    const told = { ...verdict, sentences: adviceLines(report).map(textOf) };
    const config = toConfigChange(policy, verdict.change, trigger);
    return jsonText({ tuneVersion: TUNE_VERSION, ...report, verdict: told, config });
  },
  markdown: (report) => renderMarkdown(tuneDocument(report)),
  html: (report) => renderHtml(tuneDocument(report)),
  svg: (report) => renderSvg(tuneDocument(report)),
} satisfies Record<string, (report: TuneReport, terminal: Terminal) => string>;

/** The outcome of tuning as a document, which begins with what to do. */
function tuneDocument(report: TuneReport): readonly Block[] {
  const broken = report.advice.brokenByToday.length > 0;
  return [
    { type: 'heading', level: 2, text: 'Settings tuned' },
    { type: 'lines', lines: [basisOf(report)], isWrapped: true, isBasis: true },
    ...adviceBlocks(report),
    { type: 'plot', plot: planeOf(report) },
    ...snippetBlocks(report),
    { type: 'lines', lines: broken ? ["Today's settings break a constraint."] : [] },
    ...asDetails(evidenceBlocks(report)),
  ];
}

/** All cells that keep the constraints, and today's settings where they break one. */
function planeOf({ objectives, cells, today }: TuneReport): Plot {
  const isUnseen = today.state === 'infeasible' && today.values.some((value) => value !== null);
  return {
    kind: 'scatter',
    title: 'What was tried, by its means over the sessions',
    axes: objectives.map(({ label, unit, better }) => ({
      label: `${label} (${better} is better)`,
      unit,
    })),
    points: [
      ...cells.feasible.map(({ settings, values, isToday, isKnee }) => {
        const mark = isToday ? 'today' : isKnee ? 'knee' : undefined;
        return { name: describeSettings(settings), values, mark };
      }),
      ...(isUnseen
        ? [
            {
              name: describeSettings(today.settings),
              values: today.values,
              mark: 'today',
              isHollow: true,
            },
          ]
        : []),
    ],
    note: isUnseen ? 'Hollow: it breaks a constraint.' : '',
  };
}

/** Texts to be pasted, which a page has a button for. */
function snippetBlocks(report: TuneReport): readonly Block[] {
  const { lead, texts } = snippetsOf(report);
  return [
    { type: 'lines', lines: lead.map(untrusted), only: 'page' },
    ...texts.map(
      ({ where, text }): Block => ({ type: 'snippet', where, code: text, only: 'page' }),
    ),
  ];
}

/** The one line on what it all rests. */
function basisOf({ policy, model, sessions, cells, unread }: TuneReport): Text {
  const { tuning, heldOut, leftOut } = sessions;
  const counts = [
    ...(leftOut.length > 0 ? [`${leftOut.length} left out`] : []),
    ...(unread.length > 0 ? [`${countOf(unread.length, 'file')} unread`] : []),
  ];
  const changes = `${countOf(cells.distinct - 1, 'change')} tried`;
  return [
    `${countOf(tuning + heldOut, 'session')}, `,
    untrusted(policy),
    ' on ',
    untrusted(model),
    `: ${[changes, ...counts].join(', ')}.`,
  ];
}

function evidenceBlocks(report: TuneReport): readonly Block[] {
  const { summarizer, seed, mode, origin, advice, sessions, unread } = report;
  const others = sessions.leftOut.filter(({ reason }) => !isCopyReason(reason));
  return [
    lines(triedTexts(report)),
    lines([['Summarizer ', untrusted(summarizer), `, seed ${seed}.`]]),
    lines([describeGrid(report)]),
    {
      type: 'table',
      columns: frontColumns(report),
      rows: frontRows(report).map(([settings = '', ...cells]) => [untrusted(settings), ...cells]),
    },
    lines([describeUnlisted(report), ...(report.savings ?? [])]),
    { type: 'list', title: 'Not feasible', items: describeInfeasible(report).map(untrusted) },
    lines(
      [describeTodayStatus(report), describeKneeLine(report), ...evidenceLines(report)]
        .filter((line) => line !== '')
        .map(untrusted),
    ),
    ...advice.compared.map((candidate): Block => {
      const name = nameOf(candidate);
      return {
        type: 'list',
        title: [candidate.isKnee ? name : untrusted(name), ` ${describeBasis(candidate, report)}`],
        items: candidate.outcomes.map(describeOutcome),
      };
    }),
    { type: 'list', title: 'Left out', items: leftOutLines(others) },
    lines(describeCopies(sessions.leftOut.length - others.length)),
    unreadList(unread),
    lines([describeMode(mode)]),
    { type: 'lines', lines: [untrusted(describeOrigin(origin))], isWrapped: true },
  ];
}

function lines(texts: readonly Text[]): Block {
  return { type: 'lines', lines: texts };
}
