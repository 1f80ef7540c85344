/** The answer from the sessions of a machine, and its renderers. */

import { basisBlocks, leftOutLines, settingsLines } from './answer-basis.ts';
import type { Answer } from './answer-schema.ts';
import { adviceLines, changesBlocks, concludeLines, money } from './answer-verdict.ts';
import { type Block, renderMarkdown, renderTerminal, type Text, untrusted } from './document.ts';
import { renderHtml } from './html/page-of-document.ts';
import { jsonText } from './markup.ts';
import { countOf, formatCount } from './numbers.ts';
import type { Terminal } from './report.ts';

/** Renderers of an answer, by the names of their formats; the default first. */
export const answerFormats = {
  table: (answer, view) =>
    renderTerminal(answerDocument(answer, view), { terminalColumns: WIDTH, ...known(view) }),
  json: (answer) => jsonText(answer),
  markdown: (answer, view) => renderMarkdown(answerDocument(answer, view)),
  html: (answer, view) => renderHtml(answerDocument(answer, view)),
} satisfies Record<string, (answer: Answer, view: Terminal) => string>;

/** Columns where the terminal's are unknown. */
const WIDTH = 100;
const SAFE_PATH = /^[\w./@:+#-]+$/;

/** The findings, what they come to and what to do, a sentence each. */
export function answerLines(answer: Answer): readonly Text[] {
  if (answer.found.length === 0) return noneLines(answer);
  return [
    foundLine(answer),
    recordedLine(answer),
    ...surpriseLines(answer),
    ...settingsLines(answer),
    ...concludeLines(answer),
  ];
}

/** The paragraphs of an answer. */
function answerDocument(answer: Answer, { details = false }: Terminal): readonly Block[] {
  const { found, mostExpensive } = answer;
  if (found.length === 0) return [{ type: 'lines', lines: answerLines(answer), isWrapped: true }];
  return [
    { type: 'heading', level: 2, text: 'What to change' },
    { type: 'lines', lines: [foundLine(answer), recordedLine(answer), ...settingsLines(answer)] },
    { type: 'lines', lines: [...surpriseLines(answer), ...concludeLines(answer)], isWrapped: true },
    ...changesBlocks(answer),
    { type: 'lines', lines: adviceLines(answer) },
    ...(mostExpensive === null ? [] : expensiveBlocks(mostExpensive)),
    { type: 'lines', lines: leftOutLines(answer), isWrapped: true },
    ...basisBlocks(answer, details),
  ];
}

function known({ terminalColumns, ...terminal }: Terminal): Terminal {
  return { ...terminal, ...(terminalColumns !== undefined && { terminalColumns }) };
}

function noneLines(answer: Answer): readonly Text[] {
  const { lookedIn = [], sinceDays, olderFiles = 0 } = answer;
  const since = sinceDays === undefined ? '' : ` of the last ${countOf(sinceDays, 'day')}`;
  if (lookedIn.length === 0) return ['Found no sessions: no home folder is known.'];
  const [
    {
      paths: [first = ''],
    } = { paths: [] },
  ] = lookedIn;
  const agents = countOf(lookedIn.length, 'agent');
  return [
    [
      `Found no sessions${since}. Looked in the places of ${agents}, first in `,
      untrusted(first),
      "; 'compaction-bench answer FILES' takes others.",
    ],
    olderFiles > 0
      ? `Older ones are there, in ${countOf(olderFiles, 'file')}: '--all' takes them.`
      : '',
    ...leftOutLines(answer),
  ];
}

function foundLine({ found, sinceDays }: Answer): Text {
  const all = found.reduce((sum, { sessions }) => sum + sessions, 0);
  const since = sinceDays === undefined ? '' : ` of the last ${countOf(sinceDays, 'day')}`;
  const agents = found.map(({ agent, sessions }) => `${agent} ${formatCount(sessions)}`);
  return `Found ${countOf(all, 'session')}${since}: ${agents.join(', ')}.`;
}

function recordedLine({ recorded }: Answer): Text {
  const { costUsd, sessions, sessionsWithCost, compactions, sessionsCompacted } = recorded;
  if (sessions === 0) return 'No session has recorded usage of a model that the catalog knows.';
  const priced =
    sessionsWithCost === sessions
      ? ''
      : `, the cost of ${formatCount(sessionsWithCost)} of ${countOf(sessions, 'session')} known`;
  const where = `in ${countOf(sessionsCompacted, 'session')}`;
  return `As recorded ${money(costUsd)} at today's list prices · ${countOf(compactions, 'compaction')} ${where}${priced}.`;
}

/** Lines before any advice: where recording and preset disagree, and windows that nobody would expect. */
function surpriseLines({ surprises, leftOut: { unfit } }: Answer): readonly Text[] {
  const { sessions, recorded, simulated } = unfit;
  if (sessions === 0) return surprises;
  const where = countOf(sessions, 'session');
  const counts = `${countOf(recorded, 'compaction')} recorded, ${formatCount(simulated)} simulated`;
  return [
    `In ${where} the preset does not compact where the recording did (${counts}): nothing is advised for ${sessions === 1 ? 'it' : 'them'}.`,
    ...surprises,
  ];
}

function expensiveBlocks(one: NonNullable<Answer['mostExpensive']>): readonly Block[] {
  const { session, id, project, title, date, costUsd, compactions, readAgain } = one;
  const named: Text[] = [
    ...(project === null ? [] : [untrusted(project)]),
    ...(title === null ? [] : [untrusted(`“${title}”`)]),
    ...(date === null ? [] : [date]),
  ].flat();
  const names = named.flatMap((name, index) => (index === 0 ? [name] : [', ', name])).flat();
  const again =
    readAgain === null
      ? []
      : [', ', untrusted(readAgain.file), ` read again ${countOf(readAgain.times, 'time')}`];
  const spent = `${money(costUsd)}, ${countOf(compactions, 'compaction')}`;
  const line = ['Most expensive: ', ...names, names.length === 0 ? spent : `: ${spent}`, ...again];
  if (id !== null) {
    const command = `compaction-bench explain ${id}`;
    return [
      { type: 'lines', lines: [line, { terminal: `  → ${command}`, markdown: `\`${command}\`` }] },
    ];
  }
  const code = `compaction-bench explain ${quotedForShell(session)}`;
  return [
    { type: 'lines', lines: [line] },
    { type: 'snippet', where: 'Why it cost that:', code },
  ];
}

function quotedForShell(path: string): string {
  return SAFE_PATH.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
