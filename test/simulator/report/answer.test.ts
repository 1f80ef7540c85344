import { describe, expect, it } from 'vitest';
import { answerFormats } from '../../../src/simulator/report/answer.ts';
import type { Answer, AnswerVerdict } from '../../../src/simulator/report/answer-schema.ts';

const VIEW = { colors: false };

/** A verdict on an earlier trigger that nothing speaks against. */
function verdict(changes: Partial<AnswerVerdict> = {}): AnswerVerdict {
  return {
    change: 'Compact at 70 % (now 84 %)',
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
    state: 'try it',
    unit: 'usd',
    spent: { from: 400, to: 350, low: 320, high: 390 },
    losses: { from: 140, to: 160 },
    sessions: 38,
    changedSessions: 20,
    failed: 0,
    sessionsNeeded: null,
    ...changes,
  };
}

const SMALLER = verdict({
  change: 'Compact at 60 % (now 84 %)',
  value: 0.6,
  state: 'a choice',
  spent: { from: 400, to: 330, low: 300, high: 370 },
  losses: { from: 140, to: 200 },
});

function answer(changes: Partial<Answer> = {}): Answer {
  return {
    answerVersion: 1,
    verdict: [verdict()],
    recorded: {
      costUsd: 412,
      sessions: 38,
      sessionsWithCost: 38,
      compactions: 61,
      sessionsCompacted: 38,
    },
    simulated: [],
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

/** The sentences between what was recorded and the table, and the lines below the table. */
function tell(...all: readonly AnswerVerdict[]) {
  const told = answerFormats.table(answer({ verdict: [...all] }), VIEW);
  const [, said = '', table = '', ...below] = told.split('\n\n');
  return { said: said.replaceAll('\n', ' '), rows: table.split('\n').slice(1), below };
}

describe('the answer in words', () => {
  it('recommends what is best supported, and tells of what saves and loses more', () => {
    expect(tell(verdict(), SMALLER).said).toBe(
      'Try this in Claude Code: compact at 70 % (now 84 %). It saves $50.00 of $400, −12 % (−20 … −2.5 %); losses 140 → 160, which may be chance. Compact at 60 % (now 84 %) saves more, $70.00, and loses more: 140 → 200.',
    );
  });

  it('leaves a saving whose losses surely grow to the reader, with both figures', () => {
    const { said, rows } = tell(SMALLER);
    expect(said).toBe(
      'A choice in Claude Code: compact at 60 % (now 84 %) saves $70.00 of $400, −18 % (−25 … −7.5 %), but surely more is lost for good: losses 140 → 200.',
    );
    expect(rows[0]).toMatch(/140 → 200 {2}saves, but loses more for good$/);
  });

  it('says how many sessions would do where there are too few', () => {
    const open = verdict({
      state: 'not enough data',
      sessions: 14,
      changedSessions: 5,
      sessionsNeeded: 28,
    });
    expect(tell(open).said).toBe(
      'Not enough data to say that anything is better: 5 of 14 sessions came out different, 10 have to; about 28 sessions would do. Most promising in Claude Code: compact at 70 % (now 84 %) saves $50.00 of $400, −12 % (−20 … −2.5 %); losses 140 → 160.',
    );
    const dearer = { ...open, spent: { from: 400, to: 410, low: 390, high: 430 } };
    expect(tell(dearer).said).toMatch(/No change that was tried saved money that matters here\.$/);
  });

  it('recommends nothing where nothing is better', () => {
    const { said, below } = tell(verdict({ state: 'worse' }));
    expect(said).toBe('No change that was tried is better than what these agents do.');
    expect(below[0]).toMatch(/^How sure: 38 sessions compacted\./);
  });

  it.each<[string, Partial<AnswerVerdict>, string]>([
    [
      'a variable',
      {},
      'Claude Code: CLAUDE_CODE_AUTO_COMPACT_WINDOW=173000 (environment; for claude-opus-4-5)',
    ],
    [
      'other values for other models',
      {
        keys: [
          ...verdict().keys,
          { where: 'Environment:', text: 'X=1', models: ['anthropic/claude-opus-4-6'], others: [] },
        ],
      },
      'Claude Code: CLAUDE_CODE_AUTO_COMPACT_WINDOW=173000 (environment; for claude-opus-4-5)\nClaude Code: X=1 (environment; for claude-opus-4-6)',
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
      'OpenCode: { "compaction": { "reserved": 30000 } } (opencode.json; for claude-opus-4-5)',
    ],
    [
      'an agent whose keys nobody knows',
      { agent: 'crush', policy: 'crush', keys: [] },
      'No key of crush is known for this: compact at 70 % (now 84 %).',
    ],
    ['no key', { keys: [] }, 'Claude Code reads no key for this: compact at 70 % (now 84 %).'],
  ])('says what to write: %s', (_, changes, line) => {
    expect(tell(verdict(changes)).below[0]).toBe(line);
  });

  it('folds what has no effect, and says where nothing reads a setting', () => {
    const none = { state: 'no effect', changedSessions: 0 } as const;
    const reserved = { ...none, setting: 'reserved', isRead: false };
    const { rows, below } = tell(
      verdict(),
      verdict({ ...reserved, change: 'reserved 20k → 10k', value: 10_000 }),
      verdict({ ...reserved, change: 'reserved 20k → 30k', value: 30_000 }),
      verdict({ ...none, change: 'Prune on', setting: 'prune', value: true }),
      verdict({ ...none, change: 'Compact at 90 % (now 84 %)', value: 0.9 }),
    );
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatch(/^reserved 20k → 10k or 30k +\$0 +nothing reads it +– +no effect$/);
    expect(below[0]).toBe(
      'No effect, for no run came out different: Prune on; Compact at 90 % (now 84 %).',
    );
  });

  it('says under which changes sessions cannot go on', () => {
    const spent = { from: 0, to: 0, low: null, high: null };
    const { rows } = tell(verdict(), verdict({ state: 'worse', failed: 2, spent }));
    expect(rows[1]).toMatch(/ – +– +140 → 160 +worse: fails in 2$/);
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
      VIEW,
    );
    expect(told).not.toContain('\u001B');
    expect(told.replaceAll('\n', ' ')).toMatch(
      /Left out: 2 that are copies of others; 2 files that could not be read \(.*codex\/sessions, …: --format json says why\); settings that could not be read, in ~\/\.codex\/config\.toml\./,
    );
  });
});
