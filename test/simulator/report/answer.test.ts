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

/** The screen of these changes. */
function tell(...all: readonly AnswerVerdict[]) {
  return answerFormats.table(answer({ verdict: [...all] }), VIEW);
}

const blockOf = (...all: readonly AnswerVerdict[]) =>
  tell(...all)
    .split('\n\n')[1]
    ?.split('\n');

describe('a late edge', () => {
  const late = [{ agent: 'Claude Code', edgeTokens: 967_000, readUsd: 0.484, writeUsd: 6.04 }];
  const at = (value: number, to: number, losses: number, differing = 3) =>
    verdict({
      change: `compact at ${value / 1_000},000 tokens (now 967,000)`,
      setting: 'triggerTokens',
      value,
      costUsd: { from: 400, to, low: null, high: null },
      losses: { from: 1, to: losses },
      differing,
    });
  const screen = (...all: readonly AnswerVerdict[]) =>
    answerFormats.table(answer({ late, verdict: [...all] }), VIEW);

  it('stands with its price above what earlier ones come to', () => {
    const told = screen(at(400_000, 350, 9), at(200_000, 300, 20));
    const [, lead, table] = told.split('\n\n');
    expect(lead).toBe(
      'It compacts late, at 967,000 tokens: each step there costs $0.4840 from the cache, $6.04 without.',
    );
    expect(table?.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['Change', 'Cost today', 'Cost', 'Losses', 'Verdict'],
      ['compact at 200,000 tokens (now 967,000)', '$400.00', '$300.00', '1 → 20', 'better'],
      ['compact at 400,000 tokens (now 967,000)', '$400.00', '$350.00', '1 → 9', 'better'],
    ]);
  });

  it('is nothing to tell where no request gets to an earlier one', () => {
    expect(screen(at(200_000, 400, 1, 0))).not.toContain('late');
  });
});

describe('the answer on a screen', () => {
  it('says first on what it rests, then what to do, what else was tried and where to look', async () => {
    const mostExpensive = {
      session: '/home/me/s.jsonl',
      id: '6113',
      project: 'cli',
      title: 'in …/research/git…',
      date: '2026-01-23',
      costUsd: 24.66,
      compactions: 3,
      readAgain: { file: 'a.ts', times: 6 },
    };
    const later = { ...OPEN, change: 'compact at 90 %', short: '90 %', value: 0.9 };
    const others = [
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
      { ...later, short: '95 %', state: 'no effect' as const },
    ];
    const told = answer({ verdict: [OPEN, ...others], mostExpensive, sinceDays: 30 });
    await expect(answerFormats.table(told, VIEW)).toMatchFileSnapshot(
      '../../fixtures/snapshots/answer.txt',
    );
  });

  it('says how sure a change is that is shown, and what it loses for good', () => {
    expect(blockOf(verdict(), SMALLER)).toEqual([
      'Better: compact at 70 % of the window (now 84 %)',
      '  cost    $400.00 → $350.00 (−12 %), re-reads included; 20 sessions differ, 18 never get there',
      '  losses  140 → 160, to be read again; none for good',
      '  sure?   yes: −20 % … −3 % (95 %), judged among 2 changes',
      '  do      export CLAUDE_CODE_AUTO_COMPACT_WINDOW=173000',
    ]);
    expect(blockOf(SMALLER)?.slice(0, 3)).toEqual([
      'A choice, for it saves and loses more for good: compact at 60 % of the window (now 84 %)',
      '  cost    $400.00 → $330.00 (−18 %), re-reads included; 20 sessions differ, 18 never get there',
      '  losses  140 → 200; for good 2 → 30, the others to be read again',
    ]);
  });

  it.each<[string, Partial<AnswerVerdict>, string]>([
    ['very many', { sessionsNeeded: 1_001 }, 'more than 1,000 sessions'],
    ['families', { families: 7 }, 'about 35 unrelated sessions'],
  ])('says how many sessions would decide: %s', (_, changes, count) => {
    const told = blockOf({ ...OPEN, ...changes })
      ?.join(' ')
      .replaceAll(/\s+/g, ' ');
    expect(told).toContain(
      `sure? not yet: ${count} like these would decide, in four of five cases do `,
    );
  });

  it('says where too few differ to say how many sessions would decide', () => {
    const { sessionsNeeded: _, ...open } = OPEN;
    expect(blockOf(open)?.join(' ')).toContain(
      'not yet: too few differ to say how many sessions would decide',
    );
  });

  it("keeps today's settings where nothing saves enough, and writes nothing", () => {
    const dearer = { ...OPEN, costUsd: { from: 100, to: 102, low: null, high: null } };
    const cheaper = { ...OPEN, costUsd: { from: 100, to: 98, low: null, high: null } };
    expect(blockOf(dearer)?.[0]).toBe(
      "Keep today's settings: nothing that was tried costs less; nearest: compact at 70 % of the window",
    );
    expect(tell(cheaper)).toContain('nothing that was tried saves 5 % or more; nearest: ');
    expect(tell(dearer) + tell(cheaper)).not.toContain('export');
    const none = {
      state: 'no effect',
      differing: 0,
      costUsd: { from: 100, to: 100, low: null, high: null },
    } as const;
    expect(blockOf(verdict(none))?.[0]).toBe(
      "Keep today's settings: no change that was tried has an effect in these sessions",
    );
  });

  it('says of how many sessions nothing is compacted in, and how far they are from the edge', () => {
    const idle = [{ agent: 'Claude Code', edgeTokens: 167_000, largestTokens: 48_000 }];
    const told = answerFormats.table(answer({ verdict: [verdict()], idle }), VIEW);
    expect(told).toContain(
      'Nothing compacts in these sessions: the edge is at 167,000 tokens, the largest request 48,000.',
    );
    expect(told).not.toMatch(/cost|Also tried/);
  });

  it('has a block for each of two agents, and a line for each further one', () => {
    const agents = ['Claude Code', 'Codex', 'Kilo'];
    const found = agents.map((agent) => ({ agent, sessions: 9 }));
    const told = answerFormats.table(
      answer({ found, verdict: agents.map((agent) => ({ ...OPEN, agent })) }),
      VIEW,
    );
    expect(told).toContain('27 sessions, Claude Code 9, Codex 9 and Kilo 9: ');
    expect(told.match(/^(?:Claude Code|Codex): worth trying: .*\n {2}cost /gm)).toHaveLength(2);
    expect(told).toMatch(
      /^Kilo: worth trying: compact at 70 % of the window \(now 84 %\): --details$/m,
    );
  });

  it('has its per cents from the amounts that are shown', () => {
    const small = { ...OPEN, costUsd: { from: 1.004, to: 0.94566, low: null, high: null } };
    expect(tell(small)).toContain('$1.00 → $0.9457 (−5 %)');
  });

  it.each<[string, Partial<AnswerVerdict>, string]>([
    [
      'other values for other models',
      {
        keys: [
          ...verdict().keys,
          { where: 'Environment:', text: 'X=1', models: ['anthropic/claude-opus-4-6'], others: [] },
        ],
      },
      'do export CLAUDE_CODE_AUTO_COMPACT_WINDOW=173000 (for claude-opus-4-5) do export X=1 (for claude-opus-4-6)',
    ],
    [
      'a file, in one line',
      {
        policy: 'opencode-1.18',
        keys: [
          {
            where: 'opencode.json:',
            text: '{\n  "compaction": {\n    "reserved": 30000\n  }\n}',
            models: ['anthropic/claude-opus-4-5'],
            others: [],
          },
        ],
      },
      'do opencode.json: { "compaction": { "reserved": 30000 } }',
    ],
    [
      'an agent whose keys nobody knows',
      { agent: 'crush', policy: 'crush', keys: [] },
      'do crush reads no key for it; in this program: --set triggerFraction=0.7',
    ],
    [
      'no key',
      { keys: [] },
      'do Claude Code reads no key for it; in this program: --set triggerFraction=0.7',
    ],
  ])('says what to write: %s', (_, changes, line) => {
    const agent = changes.agent ?? 'Claude Code';
    const told = answer({ verdict: [verdict(changes)], found: [{ agent, sessions: 38 }] });
    const shown = answerFormats.table(told, VIEW).replaceAll(/\s+/g, ' ');
    expect(shown).toContain(line);
  });

  it('says under which changes sessions cannot go on, and where nothing reads a setting', () => {
    const fails = verdict({ short: '80 %', state: 'fails', failedSessions: 2 });
    const unread = verdict({ change: 'reserved=10000', isRead: false, state: 'no effect' });
    expect(tell(verdict(), fails, unread)).toContain('Also tried   80 %  fails in 2\n');
    const details = answerFormats.table(answer({ verdict: [verdict(), fails, unread] }), {
      ...VIEW,
      details: true,
    });
    expect(details).toMatch(/^reserved=10000 .* nothing reads it$/m);
  });

  it('says where it looked, and that there are older sessions', () => {
    const lookedIn = [{ agent: 'Codex', paths: ['/home/me/.codex/sessions', '/home/me/b'] }];
    const none = { found: [], verdict: [], lookedIn, sinceDays: 30, olderFiles: 2 };
    expect(answerFormats.table(answer(none), VIEW)).toBe(
      `Found no sessions of the last 30 days. Looked in the places of 1 agent, first in
/home/me/.codex/sessions; 'compaction-bench answer FILES' takes others.
Older ones are there, in 2 files: '--all' takes them.
`,
    );
  });

  it('folds what was left out into a sentence without escape sequences', () => {
    const { leftOut } = answer();
    const unread = [
      { file: '/home/me/\u001B[31m.codex/sessions', reason: 'no access' },
      { file: '/home/me/b', reason: 'no access' },
    ];
    const told = answerFormats.table(
      answer({
        leftOut: { ...leftOut, copies: 2, unread, configurations: ['~/.codex/config.toml'] },
      }),
      { ...VIEW, details: true },
    );
    expect(told).not.toContain('\u001B');
    expect(told.replaceAll('\n', ' ')).toMatch(
      /Left out: 2 that are copies of others; 2 files that could not be read \(.*codex\/sessions, …: --format json says why\); settings that could not be read, in ~\/\.codex\/config\.toml\./,
    );
  });
});
