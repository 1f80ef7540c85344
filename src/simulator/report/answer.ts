/** The answer from the sessions of a machine: its schema, and its renderers. */

import * as z from 'zod';
import { type Block, renderMarkdown, renderTerminal, type Text, untrusted } from './document.ts';
import { jsonText } from './markup.ts';
import { countOf, formatCount, formatSignedPercent, UNKNOWN } from './numbers.ts';
import type { Terminal } from './report.ts';

/** What to make of a change. */
const StateSchema = z.enum([
  'try it',
  'worse',
  'no difference that matters',
  'no effect',
  'not enough data',
]);

/** A change of one setting, with what it did on all sessions of an agent. */
const VerdictSchema = z.strictObject({
  /** In words. */
  change: z.string(),
  agent: z.string(),
  /** The preset that it changes. */
  policy: z.string(),
  setting: z.string(),
  value: z.union([z.number(), z.boolean()]),
  state: StateSchema,
  /** Sums over the sessions; low and high are the interval of `to`, unknown of too few sessions. */
  costUsd: z.strictObject({
    from: z.number(),
    to: z.number(),
    low: z.number().nullable(),
    high: z.number().nullable(),
  }),
  losses: z.strictObject({ from: z.number(), to: z.number() }),
  /** Sessions that it was tried on, and those in which it changed anything. */
  sessions: z.number(),
  changedSessions: z.number(),
  /** Sessions that would most likely be enough to tell; only where there are not enough. */
  sessionsNeeded: z.number().nullable(),
});

/** The recorded run of all sessions; the cost of one whose usage or price is unknown is not in it. */
const RecordedSchema = z.strictObject({
  costUsd: z.number().nullable(),
  sessions: z.number(),
  sessionsWithCost: z.number(),
  compactions: z.number(),
  sessionsCompacted: z.number(),
});

/** A preset on the sessions of its agent, beside what was recorded of them. */
const SimulatedSchema = z.strictObject({
  agent: z.string(),
  policy: z.string(),
  sessions: z.number(),
  costUsd: z.strictObject({ recorded: z.number(), simulated: z.number() }),
  compactions: z.strictObject({ recorded: z.number(), simulated: z.number() }),
});

/** The session that cost most. */
const ExpensiveSchema = z.strictObject({
  session: z.string(),
  project: z.string().nullable(),
  title: z.string().nullable(),
  /** `YYYY-MM-DD`. */
  date: z.string().nullable(),
  costUsd: z.number(),
  compactions: z.number(),
  /** The file that was read most often again after a compaction. */
  readAgain: z.strictObject({ file: z.string(), times: z.number() }).nullable(),
});

/** The JSON document of an answer. */
export const AnswerSchema = z.strictObject({
  answerVersion: z.literal(1),
  /** The largest saving first. */
  verdict: z.array(VerdictSchema),
  recorded: RecordedSchema,
  simulated: z.array(SimulatedSchema),
  mostExpensive: ExpensiveSchema.nullable(),
  found: z.array(z.strictObject({ agent: z.string(), sessions: z.number() })),
  /** Days back that files count; absent for all, and of files that were named. */
  sinceDays: z.number().optional(),
  leftOut: z.strictObject({
    /** Copies of other sessions. */
    copies: z.number(),
    /** Sessions of models that the catalog lacks, by model. */
    unknownModels: z.record(z.string(), z.number()),
    withoutModel: z.number(),
    /** Sessions of agents without a preset: their recorded cost counts, no change was tried on them. */
    withoutPreset: z.number(),
    /** Sessions that did not end under every change. */
    failed: z.number(),
    /** Files that could not be read. */
    unread: z.array(z.strictObject({ file: z.string(), reason: z.string() })),
  }),
  /** Where sessions were looked for, if none was found. */
  lookedIn: z.array(z.strictObject({ agent: z.string(), paths: z.array(z.string()) })).optional(),
});

export type Answer = z.infer<typeof AnswerSchema>;
export type AnswerVerdict = Answer['verdict'][number];
export type AnswerState = AnswerVerdict['state'];

/** Renderers of an answer, by the names of their formats; the default first. */
export const answerFormats = {
  table: (answer, terminal) =>
    renderTerminal(answerDocument(answer), { terminalColumns: WIDTH, ...known(terminal) }),
  json: (answer) => jsonText(answer),
  markdown: (answer) => renderMarkdown(answerDocument(answer)),
} satisfies Record<string, (answer: Answer, terminal: Terminal) => string>;

/** Columns where the terminal's are unknown. */
const WIDTH = 100;
/** Changes that one screen shows. */
const MOST_SHOWN = 12;
const CENTS_BELOW_USD = 100;
const MINUS = '−';
/** Below it a share is shown with its tenths. */
const SMALL_SHARE = 0.1;
const SAFE_PATH = /^[\w./@:+#-]+$/;

/** What was found, what it comes to and what to do, a sentence each. */
export function answerLines(answer: Answer): readonly Text[] {
  if (answer.found.length === 0) return noneLines(answer);
  return [foundLine(answer), recordedLine(answer), concludeLine(answer)];
}

/** The paragraphs of an answer. */
function answerDocument(answer: Answer): readonly Block[] {
  const { found, verdict, mostExpensive } = answer;
  if (found.length === 0) return [{ type: 'lines', lines: answerLines(answer), isWrapped: true }];
  const hidden = verdict.length - MOST_SHOWN;
  return [
    { type: 'heading', level: 2, text: 'What to change' },
    { type: 'lines', lines: [foundLine(answer), recordedLine(answer)] },
    { type: 'lines', lines: [concludeLine(answer)] },
    changesTable(answer),
    {
      type: 'lines',
      lines: hidden > 0 ? [`${countOf(hidden, 'further change')}: --format json.`] : [],
    },
    ...(mostExpensive === null ? [] : expensiveBlocks(mostExpensive)),
    { type: 'lines', lines: [...leftOutLines(answer), howSure(answer)], isWrapped: true },
  ];
}

function known({ terminalColumns, colors }: Terminal): Terminal {
  return { colors, ...(terminalColumns !== undefined && { terminalColumns }) };
}

function noneLines({ lookedIn = [], sinceDays }: Answer): readonly Text[] {
  const since = sinceDays === undefined ? '' : ` of the last ${countOf(sinceDays, 'day')}`;
  if (lookedIn.length === 0) return ['Found no sessions: no home folder is known.'];
  return [
    `Found no sessions${since}. Looked in:`,
    ...lookedIn.map(({ agent, paths: [first = '', ...more] }): Text => {
      const others = more.length === 0 ? '' : ` and ${countOf(more.length, 'further place')}`;
      return [`- ${agent}: `, untrusted(first), others];
    }),
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
  return `As recorded ${money(costUsd)} · ${countOf(compactions, 'compaction')} ${where}${priced}.`;
}

/** The first thing to do, in a sentence. */
function concludeLine({ verdict }: Answer): Text {
  if (verdict.length === 0) {
    return 'No change could be tried: no session is of an agent with a preset and a known model.';
  }
  const best = verdict.find(({ state }) => state === 'try it');
  if (best !== undefined) {
    return `Try this in ${best.agent}: ${lowered(best.change)}. It ${describeSaving(best)}; ${describeLosses(best.losses)}.`;
  }
  const open = verdict.filter(({ state }) => state === 'not enough data');
  if (open.length === 0) return 'No change that was tried is better than what these agents do.';
  const likely = open.find(({ costUsd }) => costUsd.to < costUsd.from);
  if (likely === undefined) {
    return 'Not enough data to say that anything is better, and no change saved money here.';
  }
  const { sessionsNeeded: needed } = likely;
  const enough = needed === null ? '' : `; about ${countOf(needed, 'session')} would be enough`;
  return `Not enough data to say that anything is better. The largest saving, in ${likely.agent}: ${lowered(likely.change)} ${describeSaving(likely)}${enough}.`;
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

function describeSaving({ costUsd: { from, to } }: AnswerVerdict): string {
  const verb = to <= from ? 'saves' : 'costs';
  return `${verb} ${money(Math.abs(to - from))} of ${money(from)}`;
}

function describeLosses({ from, to }: AnswerVerdict['losses']): string {
  if (from === to) return `losses stay at ${formatCount(from)}`;
  return `losses ${formatCount(from)} → ${formatCount(to)}`;
}

function changesTable({ verdict }: Answer): Block {
  const hasAgents = new Set(verdict.map(({ agent }) => agent)).size > 1;
  return {
    type: 'table',
    columns: [
      { title: hasAgents ? 'Agent and change' : 'Change' },
      { title: 'Cost' },
      { title: 'Share', holds: 'words' },
      { title: 'Losses' },
      { title: 'Verdict', holds: 'words' },
    ],
    rows: verdict
      .slice(0, MOST_SHOWN)
      .map((one) => [
        hasAgents ? `${one.agent}: ${one.change}` : one.change,
        one.state === 'no effect' ? UNKNOWN : signedMoney(one.costUsd.to - one.costUsd.from),
        one.state === 'no effect' ? 'changed nothing' : describeShare(one.costUsd),
        `${formatCount(one.losses.from)} → ${formatCount(one.losses.to)}`,
        one.state,
      ]),
  };
}

/** The change of a cost in percent, with its interval. */
function describeShare({ from, to, low, high }: AnswerVerdict['costUsd']): string {
  if (from === 0) return UNKNOWN;
  const share = (cost: number) => {
    const change = cost / from - 1;
    const decimals = Math.abs(change) < SMALL_SHARE ? 1 : 0;
    return formatSignedPercent(change, decimals).replace('-', MINUS);
  };
  if (low === null || high === null) return share(to);
  return `${share(to)} (${share(low).replace(' %', '')} … ${share(high)})`;
}

function expensiveBlocks(one: NonNullable<Answer['mostExpensive']>): readonly Block[] {
  const { session, project, title, date, costUsd, compactions, readAgain } = one;
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
  const code = `compaction-bench explain ${quotedForShell(session)}`;
  return [
    { type: 'lines', lines: [line] },
    { type: 'snippet', where: 'Why it cost that:', code },
  ];
}

function leftOutLines({ leftOut }: Answer): readonly Text[] {
  const { copies, unknownModels, withoutModel, withoutPreset, failed, unread } = leftOut;
  const unknown = Object.entries(unknownModels);
  const count = unknown.reduce((sum, [, sessions]) => sum + sessions, 0);
  const names = unknown.map(([name]) => name).toSorted();
  const pieces: Text[][] = [
    count > 0
      ? [
          `${countOf(count, 'session')} of models that the catalog lacks (`,
          untrusted(names.join(', ')),
          ')',
        ]
      : [],
    withoutModel > 0 ? [`${countOf(withoutModel, 'session')} that name no model`] : [],
    copies > 0 ? [`${formatCount(copies)} that are copies of others`] : [],
    withoutPreset > 0
      ? [`from the changes, ${formatCount(withoutPreset)} of agents without a preset`]
      : [],
    failed > 0 ? [`from the changes, ${formatCount(failed)} that did not end under each`] : [],
    unread.length > 0 ? [`${countOf(unread.length, 'file')} that could not be read`] : [],
  ].filter((piece) => piece.length > 0);
  if (pieces.length === 0) return [];
  return [
    [
      'Left out: ',
      ...pieces.flatMap((piece, index) => (index === 0 ? piece : ['; ', ...piece])).flat(),
      '.',
    ] as Text,
  ];
}

/** On what the numbers rest, and how near the simulation comes to what was recorded. */
function howSure({ recorded, simulated }: Answer): Text {
  const near = simulated.map(({ policy, costUsd, compactions }) => {
    const off = formatSignedPercent(costUsd.simulated / costUsd.recorded - 1, 0);
    const counts = `${formatCount(compactions.recorded)} → ${formatCount(compactions.simulated)}`;
    const costs = `${money(costUsd.recorded)} → ${money(costUsd.simulated)}`;
    return `${policy} ${costs} (${off.replace('-', MINUS)}), compactions ${counts}`;
  });
  const compacted = `How sure: ${countOf(recorded.sessionsCompacted, 'session')} compacted.`;
  const basis = 'Open loop, estimated tokens, 95 % intervals over sessions.';
  if (near.length === 0) return `${compacted} ${basis}`;
  return `${compacted} ${basis} Changes are held against a simulation of today's settings; recorded → simulated: ${near.join('; ')}.`;
}

/** Dollars with cents below a hundred. */
function money(usd: number | null): string {
  if (usd === null) return UNKNOWN;
  const decimals = Math.abs(usd) < CENTS_BELOW_USD ? 2 : 0;
  const [whole = '', ...cents] = Math.abs(usd).toFixed(decimals).split('.');
  return `$${[formatCount(Number(whole)), ...cents].join('.')}`;
}

function signedMoney(usd: number): string {
  const shown = money(usd);
  if (!/[1-9]/.test(shown)) return shown;
  return `${usd < 0 ? MINUS : '+'}${shown}`;
}

function quotedForShell(path: string): string {
  return SAFE_PATH.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
