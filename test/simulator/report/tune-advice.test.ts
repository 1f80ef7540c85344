import { describe, expect, it } from 'vitest';
import {
  adviceOf,
  changedSettings,
  describeBasis,
  toConfigChange,
} from '../../../src/simulator/report/tune-advice.ts';
import type {
  Advice,
  Candidate,
  ObjectiveOutcome,
  TuneReport,
} from '../../../src/simulator/report/tune-report.ts';
import { readOpencodeConfig } from '../../../src/simulator/scenario/opencode-config.ts';
import { findObjective } from '../../../src/simulator/sweep/tune/constraint.ts';
import { sampleTuneReport } from '../../support/sample-tune-report.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const BROKEN = ['refused in 1 of 9 sessions'];
const TODAYS = ['loop in 2 of 9 sessions'];

const knee: Candidate = {
  settings: { reserved: 10 },
  isKnee: true,
  state: 'keep',
  outcomes: [],
  broken: [],
};

const outcome = (name: string, verdict: ObjectiveOutcome['verdict']): ObjectiveOutcome => ({
  objective: findObjective(name),
  sessions: 3,
  families: 3,
  today: 1,
  tuned: verdict === 'lower' ? 0 : 2,
  kind: 'difference',
  estimate: { value: 1, interval: null },
  pValue: null,
  verdict,
});

function linesOf(advice: Partial<Advice>): readonly string[] {
  const report = sampleTuneReport();
  const { said, lead, written } = adviceOf({ ...report, advice: { ...report.advice, ...advice } });
  return [...said, ...lead, ...written.flatMap(({ where, text }) => ['', where, text])];
}

describe('adviceOf', () => {
  it.each<[string, Partial<Advice>, readonly string[]]>([
    ['keeps', { state: 'keep' }, ["Keep today's settings."]],
    [
      'keeps what the knee would make worse',
      {
        state: 'keep',
        compared: [
          { ...knee, outcomes: [outcome('cost', 'within noise'), outcome('misses', 'higher')] },
        ],
      },
      ["Keep today's settings: the knee is worse in Misses, and nothing is better beyond noise."],
    ],
    [
      'names all that is worse, also where more is better',
      {
        state: 'keep',
        compared: [
          { ...knee, outcomes: [outcome('cost', 'higher'), outcome('tokensSaved', 'lower')] },
        ],
      },
      [
        "Keep today's settings: the knee is worse in Cost and Tokens saved, and nothing is better beyond noise.",
      ],
    ],
    [
      'keeps what the knee would break',
      { state: 'keep', compared: [{ ...knee, broken: BROKEN }] },
      ["Keep today's settings.", 'The knee breaks a constraint: refused in 1 of 9 sessions.'],
    ],
    [
      'knows no way where both break a constraint',
      {
        state: 'nothing feasible',
        compared: [{ ...knee, broken: BROKEN }],
        brokenByToday: TODAYS,
      },
      [
        "Neither the knee nor today's settings meet the constraints.",
        'The knee breaks a constraint: refused in 1 of 9 sessions.',
        "Today's settings break a constraint: loop in 2 of 9 sessions.",
      ],
    ],
    [
      'changes what breaks a constraint today, and says what to write',
      { state: 'change', compared: [knee], brokenByToday: TODAYS, settings: { protect: 5_000 } },
      [
        "Change the settings: the knee meets the constraints, today's do not.",
        "Today's settings break a constraint: loop in 2 of 9 sessions.",
        '',
        'Without a key in opencode.json; in this program:',
        '--set protect=5000',
      ],
    ],
  ])('%s', (_, advice, expected) => {
    expect(linesOf(advice)).toEqual(expected);
  });

  it('says that the settings of today are the knee', () => {
    const today = {
      settings: { reserved: 20 },
      values: [1, 2],
      probability: 1,
      isToday: true,
      isKnee: true,
    };
    const member = { ...today, misses: { mean: 0, bestKnown: null } };
    const report = sampleTuneReport({ front: [member] });
    const advice = { ...report.advice, compared: [{ ...knee, settings: today.settings }] };
    expect(adviceOf({ ...report, advice }).said).toEqual([
      "Keep today's settings: they are the knee.",
    ]);
  });

  it('does not praise settings of today where all others came to the same', () => {
    const cells = { all: 3, distinct: 1, feasible: [], infeasible: [] };
    const dead = { setting: 'protect', isDead: true, elasticity: null } as const;
    const verdictOf = (sensitivity: TuneReport['sensitivity']) =>
      adviceOf(sampleTuneReport({ cells, sensitivity })).said;
    expect(verdictOf([dead])).toEqual([
      "Nothing that was varied makes a difference in these sessions: keep today's settings.",
    ]);
    // Of a setting with one value nobody knows what another one would do.
    expect(verdictOf([dead, { ...dead, isDead: false }])).toEqual(["Keep today's settings."]);
  });

  describe('of a front without a knee', () => {
    const cheaper: Candidate = {
      ...knee,
      settings: { protect: 10 },
      isKnee: false,
      state: 'trade-off',
      outcomes: [outcome('cost', 'lower'), outcome('tokensSaved', 'lower')],
    };
    const noisy: Candidate = {
      ...cheaper,
      settings: { protect: 30 },
      state: 'within noise',
      outcomes: [outcome('cost', 'equivalent')],
    };
    const settings = { protect: 10 };

    it('says what each member is better and worse in, and how to have the first', () => {
      expect(linesOf({ state: 'trade-off', compared: [cheaper, noisy], settings })).toEqual([
        'A trade-off: the front has no knee, and no member compared is better without being worse in something.',
        'protect=10: Cost -$1.00 (lower), Tokens saved -1 (lower).',
        'protect=30: Cost +$1.00 (equivalent).',
        'To have protect=10, write:',
        '',
        'Without a key in opencode.json; in this program:',
        '--set protect=10',
      ]);
    });

    it('changes to a member that is better and nowhere worse', () => {
      const better = { ...cheaper, outcomes: [outcome('cost', 'lower')] };
      expect(linesOf({ state: 'change', compared: [better], settings })).toEqual([
        'Change the settings: a member of the front is better, and nothing is worse.',
        'protect=10: Cost -$1.00 (lower).',
        'To have protect=10, write:',
        '',
        'Without a key in opencode.json; in this program:',
        '--set protect=10',
      ]);
    });

    it('keeps today where none of them is better without being worse', () => {
      const worse = { ...cheaper, state: 'keep', outcomes: [outcome('cost', 'higher')] } as const;
      expect(linesOf({ state: 'keep', compared: [worse, noisy] })).toEqual([
        "Keep today's settings: no member of the front that was compared is better beyond noise, and at least one is worse.",
        'protect=10: Cost +$1.00 (higher).',
        'protect=30: Cost +$1.00 (equivalent).',
      ]);
    });

    it('keeps today where none of them is better, and says what they break', () => {
      const worse = { ...cheaper, outcomes: [outcome('cost', 'higher')], broken: BROKEN };
      expect(linesOf({ state: 'keep', compared: [worse] })).toEqual([
        "Keep today's settings.",
        'protect=10: Cost +$1.00 (higher).',
        'protect=10 breaks a constraint: refused in 1 of 9 sessions.',
      ]);
    });
  });
});

describe('describeBasis', () => {
  const compared = { ...knee, outcomes: [outcome('cost', 'lower')] };
  const report = sampleTuneReport();

  it.each<[string, number, boolean, string]>([
    ['all that were held out', 3, true, 'against today, on the sessions held out'],
    ['some that went well', 4, true, 'against today, on 3 of 4 sessions held out'],
    ['what was tuned on', 0, false, 'against today, on 3 of 6 sessions tuned on, so this flatters'],
  ])('names %s', (_, heldOut, isHeldOut, expected) => {
    const sessions = { ...report.sessions, heldOut };
    const advice = { ...report.advice, isHeldOut };
    expect(describeBasis(compared, { ...report, sessions, advice })).toBe(expected);
  });

  it('says of how few families the sessions are', () => {
    const outcomes = [{ ...outcome('cost', 'lower'), families: 2 }];
    const sessions = { ...report.sessions, heldOut: 4 };
    const advice = { ...report.advice, isHeldOut: true };
    expect(describeBasis({ ...compared, outcomes }, { ...report, sessions, advice })).toBe(
      'against today, on 3 of 4 sessions in 2 families held out',
    );
  });
});

const folder = createFolder();

describe('toConfigChange', () => {
  it.each<[string, Readonly<Record<string, number | boolean>>, readonly string[]]>([
    ['opencode-0.8', {}, ['auto', 'prune', 'reserved', 'tailTurns', 'protect']],
    ['opencode-1.0.224', { auto: true, prune: false }, ['reserved', 'tailTurns', 'protect']],
    ['opencode-1.1.57', { auto: true, prune: false, reserved: 1 }, ['tailTurns', 'protect']],
    ['opencode-1.14.19', { auto: true, prune: false, reserved: 1, tailTurns: 2 }, ['protect']],
    ['opencode-1.18', { auto: true, prune: false, reserved: 1, tailTurns: 2 }, ['protect']],
    ['opencode-2.0', { auto: true, reserved: 1 }, ['prune', 'tailTurns', 'protect']],
    ['document-003', { auto: true, prune: false, reserved: 1, tailTurns: 2 }, ['protect']],
    ['codex', {}, ['auto', 'prune', 'reserved', 'tailTurns', 'protect']],
  ])(
    'writes for %s what that release reads, and the rest for this program',
    (policy, own, rest) => {
      const settings = { auto: true, prune: false, reserved: 1, tailTurns: 2, protect: 3 };
      const { file, set } = toConfigChange(policy, settings);
      const path = writeFile(folder, `${policy}.json`, JSON.stringify(file ?? {}));
      expect(readOpencodeConfig(path, {}).settings).toEqual(own);
      expect(set.map((pair) => pair.split('=', 1)[0])).toEqual(rest);
    },
  );
});

describe('changedSettings', () => {
  it('leaves out what is so today', () => {
    const settings = { reserved: 20, protect: 5, minimum: 0 };
    expect(changedSettings(settings, { reserved: 20, protect: 4 })).toEqual({
      protect: 5,
      minimum: 0,
    });
  });
});
