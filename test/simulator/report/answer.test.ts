import { describe, expect, it } from 'vitest';
import { answerFormats } from '../../../src/simulator/report/answer.ts';
import type { Answer, AnswerVerdict } from '../../../src/simulator/report/answer-schema.ts';

const VIEW = { colors: false };

/** A verdict on an earlier trigger that nothing speaks against. */
function verdict(changes: Partial<AnswerVerdict> = {}): AnswerVerdict {
  return {
    change: 'compact at 70 % of the window (now 84 %)',
    short: '70 %',
    agent: 'Claude Code',
    policy: 'claude-code',
    setting: 'triggerFraction',
    value: 0.7,
    isRead: true,
    keys: [
      {
        where: 'Environment:',
        text: 'CLAUDE_CODE_AUTO_COMPACT_WINDOW=173000',
        models: ['anthropic/claude-opus-4-5'],
        others: [],
      },
    ],
    state: 'better',
    costUsd: { from: 400, to: 350, low: 320, high: 390 },
    losses: { from: 140, to: 160 },
    lostForGood: { from: 0, to: 0 },
    sessions: 38,
    families: 38,
    differing: 20,
    idleSessions: 18,
    ...changes,
  };
}

const SMALLER = verdict({
  change: 'compact at 60 % of the window (now 84 %)',
  short: '60 %',
  value: 0.6,
  losesMore: true,
  costUsd: { from: 400, to: 330, low: 300, high: 370 },
  losses: { from: 140, to: 200 },
  lostForGood: { from: 2, to: 30 },
});

const OPEN = verdict({
  state: 'not enough data',
  costUsd: { from: 84.64, to: 75.33, low: null, high: null },
  losses: { from: 19, to: 30 },
  sessions: 9,
  families: 9,
  differing: 5,
  idleSessions: 4,
  sessionsNeeded: 35,
});

function answer(changes: Partial<Answer> = {}): Answer {
  return {
    answerVersion: 2,
    verdict: [verdict()],
    recorded: {
      costUsd: 412,
      sessions: 38,
      sessionsWithCost: 38,
      compactions: 61,
      sessionsCompacted: 38,
    },
    simulated: [],
    idle: [],
    late: [],
    diagnosis: { sessions: 38, found: [] },
    mostExpensive: null,
    settings: [],
    surprises: [],
    setups: [],
    basis: { origin: { settings: {} }, summarizer: 'extractive', sessions: 38, measured: 30 },
    found: [{ agent: 'Claude Code', sessions: 38 }],
    leftOut: {
      copies: 0,
      withoutModel: 0,
      withoutPreset: 0,
      failed: 0,
      unfit: { sessions: 0, recorded: 0, simulated: 0 },
      unread: [],
      configurations: [],
    },
    ...changes,
  };
}

const EDGE = { agent: 'Claude Code', edgeTokens: 967_000, readUsd: 0.484, writeUsd: 6.04 };
const at = (value: number, to: number, losses: number, differing = 3) =>
  verdict({
    change: `compact at ${value / 1_000},000 tokens (now 967,000)`,
    setting: 'triggerTokens',
    value,
    costUsd: { from: 400, to, low: null, high: null },
    losses: { from: 1, to: losses },
    differing,
  });
const costing = (to: number) => ({ ...OPEN, costUsd: { from: 100, to, low: null, high: null } });
const { sessionsNeeded: _, ...UNKNOWN_NEED } = OPEN;
const AGENTS = ['Claude Code', 'Codex', 'Kilo'];
const NONE = { from: 100, to: 100, low: null, high: null };
const OTHER_KEY = {
  where: 'Environment:',
  text: 'X=1',
  models: ['anthropic/claude-opus-4-6'],
  others: [],
};
const IN_FILE = {
  where: 'opencode.json:',
  text: '{\n  "compaction": {\n    "reserved": 30000\n  }\n}',
  models: ['anthropic/claude-opus-4-5'],
  others: [],
};
const crush = verdict({ agent: 'crush', policy: 'crush', keys: [] });
const later = { ...OPEN, change: 'compact at 90 %', short: '90 %', value: 0.9 };
const fails = verdict({ short: '80 %', state: 'fails', failedSessions: 2 });
const unread = verdict({ change: 'reserved=10000', isRead: false, state: 'no effect' });
const lookedIn = [{ agent: 'Codex', paths: ['/home/me/.codex/sessions', '/home/me/b'] }];

/** Answers with what screens say of them. */
const TOLD: Readonly<Record<string, Partial<Answer>>> = {
  'what is open, what else was tried and where to look': {
    verdict: [
      OPEN,
      {
        ...OPEN,
        change: 'compact at 60 %',
        short: '60 %',
        costUsd: { ...OPEN.costUsd, to: 71.92 },
        losses: { from: 19, to: 50 },
      },
      { ...OPEN, change: 'prune off', short: 'prune off', costUsd: { ...OPEN.costUsd, to: 84.85 } },
      {
        ...later,
        costUsd: { ...OPEN.costUsd, to: 90 },
        losses: { from: 19, to: 9 },
        lostForGood: { from: 4, to: 1 },
      },
      { ...later, short: '95 %', state: 'no effect' },
    ],
    mostExpensive: {
      session: '/home/me/s.jsonl',
      id: '6113',
      project: 'cli',
      title: 'in …/research/git…',
      date: '2026-01-23',
      costUsd: 24.66,
      compactions: 3,
      readAgain: { file: 'a.ts', times: 6 },
    },
    sinceDays: 30,
  },
  'a late edge above what earlier ones come to': {
    late: [EDGE],
    verdict: [at(400_000, 350, 9), at(200_000, 300, 20)],
  },
  'a late edge that no request gets to': { late: [EDGE], verdict: [at(200_000, 400, 1, 0)] },
  'a change that is sure': { verdict: [verdict(), SMALLER] },
  'a change that loses more for good': { verdict: [SMALLER] },
  'very many sessions that would decide': { verdict: [{ ...OPEN, sessionsNeeded: 1_001 }] },
  'families that would decide': { verdict: [{ ...OPEN, families: 7 }] },
  'too few that differ': { verdict: [UNKNOWN_NEED] },
  'nothing that costs less': { verdict: [costing(102)] },
  'nothing that saves enough': { verdict: [costing(98)] },
  'no change with an effect': {
    verdict: [verdict({ state: 'no effect', differing: 0, costUsd: NONE })],
  },
  'sessions in which nothing is compacted': {
    idle: [{ agent: 'Claude Code', edgeTokens: 167_000, largestTokens: 48_000 }],
  },
  'three agents': {
    found: AGENTS.map((agent) => ({ agent, sessions: 9 })),
    verdict: AGENTS.map((agent) => ({ ...OPEN, agent })),
  },
  'per cents of the amounts that are shown': {
    verdict: [{ ...OPEN, costUsd: { from: 1.004, to: 0.945_66, low: null, high: null } }],
  },
  'other values for other models': {
    verdict: [verdict({ keys: [...verdict().keys, OTHER_KEY] })],
  },
  'keys of a file, in one line': {
    verdict: [verdict({ policy: 'opencode-1.18', keys: [IN_FILE] })],
  },
  'an agent whose keys nobody knows': {
    verdict: [crush],
    found: [{ agent: 'crush', sessions: 38 }],
  },
  'no key': { verdict: [verdict({ keys: [] })] },
  'a change under which sessions fail, and one that nothing reads': {
    verdict: [verdict(), fails, unread],
  },
  'where it looked, and that there are older sessions': {
    found: [],
    verdict: [],
    lookedIn,
    sinceDays: 30,
    olderFiles: 2,
  },
};

describe('the answer on a screen', () => {
  it('says on what it rests, what to do, how sure that is and what else was tried', async () => {
    const told = Object.entries(TOLD).map(
      ([name, parts]) => `# ${name}\n\n${answerFormats.table(answer(parts), VIEW)}`,
    );
    await expect(told.join('\n')).toMatchFileSnapshot('../../fixtures/snapshots/answer.txt');
  });

  it('says in details that nothing reads a setting', () => {
    const told = answer({ verdict: [verdict(), fails, unread] });
    expect(answerFormats.table(told, { ...VIEW, details: true })).toMatch(
      /^reserved=10000 .* nothing reads it$/m,
    );
  });

  it('folds what was left out into a sentence without escape sequences', () => {
    const { leftOut } = answer();
    const unreadFiles = [
      { file: '/home/me/\u001B[31m.codex/sessions', reason: 'no access' },
      { file: '/home/me/b', reason: 'no access' },
    ];
    const told = answerFormats.table(
      answer({
        leftOut: {
          ...leftOut,
          copies: 2,
          unread: unreadFiles,
          configurations: ['~/.codex/config.toml'],
        },
      }),
      { ...VIEW, details: true },
    );
    expect(told).not.toContain('\u001B');
    expect(told.replaceAll('\n', ' ')).toMatch(
      /Left out: 2 that are copies of others; 2 files that could not be read \(.*codex\/sessions, …: --format json says why\); settings that could not be read, in ~\/\.codex\/config\.toml\./,
    );
  });
});
