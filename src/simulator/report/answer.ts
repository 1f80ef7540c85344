/** The answer from the sessions of a machine, and its renderers. */

import { groupBy, sum } from '../lib/collections.ts';
import { CONFIDENCE } from '../metrics/statistics/interval.ts';
import { FEW_CLUSTERS } from '../metrics/statistics/mean-difference.ts';
import { listed } from '../lib/text.ts';
import { parseSessionName } from '../session/session.ts';
import type { Answer, AnswerVerdict } from './answer-schema.ts';
import { lossAxes } from './arm-table.ts';
import {
  type ChangeAdvice,
  changeBlock,
  changeLines,
  othersRows,
  showSpent,
  todoLines,
} from './change-block.ts';
import {
  type Block,
  listOf,
  type Piece,
  prose,
  renderMarkdown,
  renderTerminal,
  type Text,
  untrusted,
} from './document.ts';
import type { Blamed } from '../metrics/diagnosis.ts';
import { diagnosisBlocks, diagnosisLines, worstOf } from './diagnosis.ts';
import { renderHtml, renderSvg } from './html/render-html.ts';
import { jsonText } from './markup.ts';
import { countOf, formatCount, formatPercent, formatSignedPercent, formatUsd } from './numbers.ts';
import { countedBy } from './origin.ts';
import { nameSessions } from './session-names.ts';
import { isWorthTrying, pickBest, spentOf } from './verdict.ts';
import type { Terminal } from './layout.ts';

export const answerFormats = {
  table: (answer, view) => renderTerminal(answerDocument(answer, { isScreen: true }), view),
  json: ({ blamed: _blamed, ...answer }) => jsonText(answer),
  markdown: (answer) => renderMarkdown(answerDocument(answer)),
  html: (answer) => renderHtml(answerDocument(answer)),
  svg: (answer) => renderSvg(answerDocument(answer)),
} satisfies Record<string, (answer: ToldAnswer, view: Terminal) => string>;

/** With names of what findings blame, which no document has. */
export interface ToldAnswer extends Answer {
  readonly blamed?: Blamed | undefined;
}

interface AgentAnswer {
  readonly agent: string;
  readonly idle?: Text;
  readonly advice: ChangeAdvice;
}

const MOST_BLOCKS = 2;
const DEAREST_WIDTH = 87;
const SAFE_PATH = /^[\w./@:+#-]+$/;

export function answerLines(answer: ToldAnswer): readonly Text[] {
  if (answer.found.length === 0) return noneLines(answer);
  const told = agentsOf(answer).flatMap(({ idle, advice }) =>
    idle === undefined ? changeLines(advice) : [idle],
  );
  return [
    foundText(answer),
    ...diagnosisLines(answer.diagnosis, answer.blamed).flat(),
    ...unfitLines(answer.leftOut.unfit),
    ...told,
    ...nothingLines(answer),
  ];
}

/** Told before anything is advised. */
export function unfitLines({
  sessions,
  recorded,
  simulated,
}: Answer['leftOut']['unfit']): readonly string[] {
  if (sessions === 0) return [];
  const counts = `${countOf(recorded, 'compaction')} recorded, ${formatCount(simulated)} simulated`;
  return [
    `In ${countOf(sessions, 'session')} the preset does not compact where the recording did (${counts}): nothing is advised for ${sessions === 1 ? 'it' : 'them'}.`,
  ];
}

function answerDocument(answer: ToldAnswer, { isScreen = false } = {}): readonly Block[] {
  const { mostExpensive } = answer;
  if (answer.found.length === 0) return [prose(noneLines(answer))];
  const agents = agentsOf(answer);
  const others = agents.flatMap(({ advice, idle }) =>
    isScreen && idle === undefined ? othersRows(advice, agents.length > 1 ? 1 : 2) : [],
  );
  return [
    { type: 'heading', level: 2, text: 'What to change' },
    { ...prose([foundText(answer)]), isBasis: true },
    ...diagnosisBlocks(answer.diagnosis, answer.blamed),
    prose([...unfitLines(answer.leftOut.unfit), ...nothingLines(answer)]),
    ...agents.flatMap(({ agent }) => edgeBlocks(agent, answer, agents.length > 1)),
    ...agents.flatMap((one, index) => agentBlocks(one, isScreen && index >= MOST_BLOCKS)),
    ...agents.flatMap((one) => plotBlocks(one.agent, answer)),
    { type: 'facts', rows: [...others, ...dearestRows(mostExpensive)] },
    ...snippetBlocks(answer),
    ...changesBlocks(answer.verdict),
    { ...prose(leftOutLines(answer)), isDetail: true },
    { ...listOf('On what the numbers rest', basisItems(answer)), isDetail: true },
  ];
}

function noneLines(answer: Answer) {
  const { lookedIn = [], sinceDays, olderFiles = 0 } = answer;
  const since = sinceText(sinceDays);
  if (lookedIn.length === 0) return ['Found no sessions: no home folder is known.'];
  const first = lookedIn[0]?.paths[0] ?? '';
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

function foundText({ found, sinceDays, recorded, leftOut }: Answer) {
  const { costUsd, sessions, sessionsWithCost, compactions } = recorded;
  const all = sum(found.map((own) => own.sessions));
  const since = sinceText(sinceDays);
  const agents = found.map(({ agent, sessions: own }) =>
    found.length === 1 ? agent : `${agent} ${formatCount(own)}`,
  );
  const part = sessionsWithCost === all ? '' : ` for ${formatCount(sessionsWithCost)}`;
  const cost = costUsd === null ? 'no known cost' : `${formatUsd(costUsd)}${part}`;
  const spent =
    sessions === 0 ? 'no recorded usage' : `${cost}, ${countOf(compactions, 'compaction')}`;
  const { length } = leftOut.unread;
  const unread = length === 0 ? '' : `, ${countOf(length, 'file')} unread`;
  return `${countOf(all, 'session')}${since}, ${listed(agents, 'and')}: ${spent}${unread}.`;
}

function sinceText(days: number | undefined) {
  return days === undefined ? '' : ` of the last ${countOf(days, 'day')}`;
}

function nothingLines({ verdict, leftOut, diagnosis }: Answer) {
  if (verdict.length > 0) return [];
  const { unfit, failed } = leftOut;
  if (unfit.sessions === 0 && failed > 0) {
    if (worstOf(diagnosis).some(({ finding }) => finding.cause === 'floor')) return [];
    return [
      `No change is advised: ${countOf(failed, 'session')} ${failed === 1 ? 'does' : 'do'} not end under today's settings.`,
    ];
  }
  return [
    unfit.sessions > 0
      ? 'No change is advised.'
      : 'No change could be tried: no session is of an agent with a preset and names its model.',
  ];
}

function agentsOf({ verdict, found, idle }: Answer): readonly AgentAnswer[] {
  const byAgent = groupBy(verdict, ({ agent }) => agent);
  return found.flatMap(({ agent }) => {
    const own = byAgent.get(agent) ?? [];
    const best = pickBest(own);
    if (best === undefined) return [];
    const others = own.filter((one) => one !== best);
    const named = byAgent.size > 1 ? { agent } : {};
    const judged = verdict.length;
    const advice = { best, others, todo: todoOf(best), judged, ...named };
    const still = idle.find((one) => one.agent === agent);
    return [{ agent, advice, ...(still && { idle: idleText(still, byAgent.size > 1) }) }];
  });
}

function todoOf({ policy, keys, setting, value }: AnswerVerdict) {
  if (keys.length === 0) return todoLines(policy, { written: [], set: [`${setting}=${value}`] });
  const isOne = keys.length === 1;
  return keys.flatMap(({ models, others, ...key }) => {
    const lines = todoLines(policy, { written: [key], set: [] });
    if (isOne && others.length === 0) return lines;
    const too = others.length === 0 ? '' : `; it holds for ${shortNames(others)}, too`;
    const note = untrusted(` (for ${shortNames(models)})${too}`);
    return lines.map((line): Text => [...[line].flat(), note]);
  });
}

function shortNames(models: readonly string[]) {
  return listed(
    models.map((model) => model.slice(model.lastIndexOf('/') + 1)),
    'and',
  );
}

function idleText({ agent, edgeTokens, largestTokens }: Answer['idle'][number], isNamed: boolean) {
  const edge = edgeTokens === null ? '' : `the edge is at ${formatCount(edgeTokens)} tokens, `;
  const lead = isNamed ? `${agent}: nothing` : 'Nothing';
  return `${lead} compacts in these sessions: ${edge}the largest request ${formatCount(largestTokens)}.`;
}

function agentBlocks({ idle, advice }: AgentAnswer, isShort: boolean): readonly Block[] {
  if (idle !== undefined) return [prose([idle])];
  const block = changeBlock(advice);
  if (!isShort) return [block];
  const lead = [...[block.title ?? ''].flat(), ': --details'];
  return [prose([lead]), { ...block, isDetail: true }];
}

/** The price of a late edge, and what earlier ones come to; none where no request gets to any of them. */
function edgeBlocks(agent: string, { late, verdict }: Answer, isNamed: boolean): readonly Block[] {
  const edge = late.find((one) => one.agent === agent);
  const all = verdict.filter((one) => one.agent === agent && one.setting === 'triggerTokens');
  if (edge === undefined || all.every(({ differing }) => differing === 0)) return [];
  const priced = all.filter((one) => !spentOf(one).isTokens);
  const tried = (priced.length > 0 ? priced : all).toSorted((a, b) => +a.value - +b.value);
  const [tokens, read, write] = [edge.edgeTokens, edge.readUsd, edge.writeUsd];
  const price =
    read === null
      ? ''
      : `: each step there costs ${formatUsd(read)} from the cache, ${formatUsd(write)} without`;
  const lead = `${isNamed ? `${agent} compacts` : 'It compacts'} late, at ${formatCount(tokens)} tokens${price}.`;
  return [prose([lead]), ...changesBlocks(tried, false)];
}

function plotBlocks(agent: string, { verdict }: Answer): readonly Block[] {
  const own = verdict.filter((one) => one.agent === agent && one.isRead);
  const [first] = own.map((one) => spentOf(one));
  if (first === undefined) return [];
  const today = own.reduce((most, one) => (one.sessions > most.sessions ? one : most));
  const points = own.map((one) => ({
    name: one.change,
    values: [spentOf(one).to, one.losses.to],
    says: one.state,
    isHollow: one.failedSessions !== undefined,
  }));
  const from = { name: 'today', values: [spentOf(today).from, today.losses.from], mark: 'now' };
  return [
    {
      type: 'plot',
      plot: {
        kind: 'scatter',
        title: `${agent}: ${first.isTokens ? 'tokens' : 'cost'} against losses of today's settings and each change`,
        axes: lossAxes(!first.isTokens),
        points: [from, ...points],
      },
    },
  ];
}

function snippetBlocks({ verdict }: Answer): readonly Block[] {
  return [...groupBy(verdict, ({ agent }) => agent).values()].flatMap((own) => {
    const best = pickBest(own);
    if (best === undefined || !isWorthTrying(best)) return [];
    return best.keys.map(
      ({ where, text }): Block => ({ type: 'snippet', where, code: text, only: 'page' }),
    );
  });
}

function dearestRows(one: Answer['mostExpensive']): readonly (readonly [string, Text])[] {
  if (one === null) return [];
  const { session, id, costUsd, compactions, readAgain } = one;
  const again = readAgain === null ? '' : `, one file re-read ${countOf(readAgain.times, 'time')}`;
  const spent = `: ${formatUsd(costUsd)}, ${countOf(compactions, 'compaction')}${again}`;
  const name = nameSessions([one], [one], DEAREST_WIDTH - spent.length)(session);
  const quoted = `'${session.replaceAll("'", String.raw`'\''`)}'`;
  const command = `compaction-bench explain ${id ?? (SAFE_PATH.test(session) ? session : quoted)}`;
  const page = { terminal: '        as a page: --out answer.html', markdown: '' };
  return [
    ['Dearest', [{ untrusted: name, file: parseSessionName(session).path }, spent]],
    ['', [{ terminal: '→ ', markdown: '' }, untrusted(command), page]],
  ];
}

function changesBlocks(verdict: readonly AnswerVerdict[], isDetail = true): readonly Block[] {
  const hasAgents = new Set(verdict.map(({ agent }) => agent)).size > 1;
  return [
    {
      type: 'table',
      columns: [
        ...(hasAgents ? [{ title: 'Agent', holds: 'names' as const }] : []),
        { title: 'Change', holds: 'names' },
        { title: 'Cost today' },
        { title: 'Cost' },
        { title: 'Losses' },
        { title: 'Verdict', holds: 'words' },
      ],
      rows: verdict.map((one) => {
        const { agent, change, losses, state, isRead, losesMore } = one;
        const spent = spentOf(one);
        const told = isRead ? state : 'nothing reads it';
        const unit = spent.isTokens ? ' tokens' : '';
        return [
          ...(hasAgents ? [agent] : []),
          change,
          showSpent(spent.from, spent) + unit,
          showSpent(spent.to, spent) + unit,
          `${formatCount(losses.from)} → ${formatCount(losses.to)}`,
          losesMore ? `${told}, loses more for good` : told,
        ];
      }),
      isDetail,
    },
  ];
}

function leftOutLines({ leftOut }: Answer) {
  const { copies, withoutModel, withoutPreset, failed, unread, configurations } = leftOut;
  const [first, ...others] = unread;
  const more = others.length === 0 ? '' : ', …';
  const unreadable = `${countOf(unread.length, 'file')} that could not be read (`;
  const told: readonly (readonly [count: number, ...Piece[]])[] = [
    [withoutModel, `${countOf(withoutModel, 'session')} that name no model`],
    [copies, `${formatCount(copies)} that are copies of others`],
    [withoutPreset, `from the changes, ${formatCount(withoutPreset)} of agents without a preset`],
    [failed, `from the changes, ${formatCount(failed)} that do not end under today's settings`],
    [unread.length, unreadable, untrusted(first?.file ?? ''), `${more}: --format json says why)`],
    [
      configurations.length,
      'settings that could not be read, in ',
      untrusted(configurations.join(', ')),
    ],
  ];
  const pieces = told.filter(([count]) => count > 0).map(([, ...words]) => words);
  if (pieces.length === 0) return [];
  const joined = pieces.flatMap((piece, index) => (index === 0 ? piece : ['; ', ...piece]));
  return [['Left out: ', ...joined, '.']];
}

function basisItems(answer: Answer) {
  const { basis, simulated, verdict, settings } = answer;
  const { measured, sessions, origin, summarizer } = basis;
  const { catalog, tokenizers = {}, version = '' } = origin;
  const tests = verdict.filter(({ state }) => state !== 'no effect').length;
  return [
    ...answer.surprises,
    ...settings.map(({ agent, from, keys }) => [
      `Settings of ${agent}: `,
      untrusted(from.join(', ')),
      ' (',
      untrusted(keys.join(', ')),
      ')',
    ]),
    `As recorded: usage that providers reported, in ${formatCount(measured)} of ${countOf(sessions, 'session')}, at list prices; no bill was read.`,
    `Prices: catalog ${catalog?.source ?? ''} ${catalog?.hash ?? ''}, prompt cache simulated as long as it was recorded; compaction-bench ${version}.`,
    ...answer.setups,
    `Tokens: ${countedBy(tokenizers).join('; ')}; scaled to the recorded usage of a session, estimated where it has none.`,
    `Changes: each session is replayed step by step as it was recorded (open loop: the agent does not react), with '${summarizer}' summaries; no model was asked.`,
    ...simulated.map(describeFit),
    settings.length > 0
      ? "Today's settings: the agents' own configuration, as said above; projects may have others."
      : "Today's settings: defaults of the newest release among the sessions; no setting of the agents' own was found.",
    'Losses: content that a later step uses and that a compaction had removed by then, counted once until it is read again. Only what reading brings back: other words are lost by the wording of a summary, and summaries here have none.',
    `Intervals: ${formatPercent(CONFIDENCE)}, resampled over sessions that share no beginning; judged as ${countOf(tests, 'test')} at once, and only if ${FEW_CLUSTERS} such sessions or more came out different.`,
  ];
}

function describeFit(fit: Answer['simulated'][number]) {
  const { policy, sessions, costUsd, compactions } = fit;
  const off = formatSignedPercent(costUsd.simulated / costUsd.recorded - 1, 0);
  const costs = `${formatUsd(costUsd.recorded)} → ${formatUsd(costUsd.simulated)} (${off})`;
  const counts = `${formatCount(compactions.recorded)} → ${formatCount(compactions.simulated)}`;
  return `Fit: changes are held against ${policy} simulated on ${countOf(sessions, 'session')}; recorded → simulated ${costs}, compactions ${counts}.`;
}
