import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/engine/index.ts';
import { buildProbes } from '../../../../src/simulator/metrics/probes/questions.ts';
import { scoreAnswer } from '../../../../src/simulator/metrics/probes/probe.ts';
import type { PlantedFact } from '../../../../src/simulator/session/facts.ts';
import { step, text, toolIn, user } from '../../../support/history.ts';

const calls = (id: string, name: string, input: unknown, { said = '', output = '' } = {}) =>
  step(
    id,
    [
      ...(said === '' ? [] : [text(`${id}-t`, said)]),
      toolIn(`${id}-c`, { status: 'completed', input, output }, name),
    ],
    { finish: 'tool-calls' },
  );

const HEAD: readonly Message[] = [
  user('u1', 'Move the rates to the new service. Never touch the legacy gateway.'),
  calls('h1', 'read', { filePath: 'src/rates/table.ts' }, { output: 'const key = "kx7f9q2m";' }),
  calls(
    'h2',
    'question',
    { questions: [{ question: 'Which store?', options: [{ label: 'redis' }, { label: 'disk' }] }] },
    { output: 'User answered: "Which store?"="disk"' },
  ),
];
const TAIL: readonly Message[] = [calls('t1', 'bash', { command: 'npm run lint' })];
const LATER: readonly Message[] = [
  calls('l1', 'bash', { command: 'cd app && npm run build --if-present' }),
  calls(
    'l2',
    'edit',
    { filePath: 'src/rates/table.ts', oldString: 'start of the first column of rates' },
    { said: 'Now the table gets its first column.' },
  ),
  calls('l3', 'bash', { command: 'curl -H "X-Key: kx7f9q2m" https://rates.example/v2/list' }),
];

function fact(more: Partial<PlantedFact>): PlantedFact {
  return {
    id: 'fact-1',
    kind: 'id',
    subject: 'the rate table',
    value: 'kx7f9q2m',
    polarity: 'do',
    criticality: 'must',
    source: 'user',
    step: 1,
    posPct: 0,
    neededAt: [],
    ...more,
  };
}

function ask(more: Partial<Parameters<typeof buildProbes>[0]> = {}) {
  return buildProbes({ facts: [], atStep: 3, head: HEAD, tail: TAIL, later: LATER, ...more });
}

const ofKind = (kind: string, probes = ask()) => probes.filter((probe) => probe.kind === kind);

describe('questions from later steps', () => {
  it('ask for the next call, by tool and target, and do not tell it', () => {
    const [next] = ofKind('next-step');
    expect(next?.expected).toEqual({ type: 'call', tool: 'bash', targets: ['npm run build'] });
    expect(next?.question).not.toContain('build');
    expect(next?.question).toContain('Tools: bash, question, read');
  });

  it('tell what the user says before the next call', () => {
    const later = [user('u2', 'Now run the tests.'), ...LATER];
    expect(ofKind('next-step', ask({ later }))[0]?.question).toMatch(
      /^The user now says: "Now run the tests\."\n/,
    );
  });

  it('ask for a file that only the head names, with its name masked', () => {
    const [file] = ofKind('file');
    expect(file?.expected).toEqual({
      type: 'path',
      path: 'src/rates/table.ts',
      least: 'table.ts',
    });
    expect(file?.question).toContain('Now the ____ gets its first column.');
    expect(file?.question).not.toContain('table');
  });

  it('ask for a value that only the head says, with the value masked', () => {
    const [value] = ofKind('value');
    expect(value?.expected).toMatchObject({ accepted: ['kx7f9q2m'] });
    expect(value?.question).toContain('X-Key: ____');
    expect(value?.question).not.toContain('kx7f9q2m');
  });

  it('ask for nothing that the tail or a step in between says', () => {
    const between = calls('b', 'bash', { command: 'echo kx7f9q2m src/rates/table.ts' });
    for (const probes of [ask({ tail: [between] }), ask({ later: [between, ...LATER] })])
      expect([...ofKind('value', probes), ...ofKind('file', probes)]).toEqual([]);
  });

  it('ask for what the user chose of what was offered', () => {
    expect(ofKind('decision')).toMatchObject([
      { expected: { accepted: ['disk'], refused: ['redis'] } },
    ]);
  });

  it('are none where nothing comes later', () => {
    expect(ask({ later: [], head: [] })).toEqual([]);
  });

  it('are answered right by what they expect', () => {
    const answers = { value: 'kx7f9q2m', file: 'table.ts', decision: 'disk' };
    for (const { kind, expected } of ask()) {
      const answer = kind === 'next-step' ? 'bash npm run build' : Reflect.get(answers, kind);
      expect([kind, scoreAnswer(expected, answer)]).toEqual([kind, 'right']);
    }
  });
});

describe('questions from facts', () => {
  const bare = { later: [] as readonly Message[] };

  it('refuse what held before', () => {
    const old = fact({ id: 'old', value: 'a1b2c3' });
    const [probe] = ofKind('value', ask({ ...bare, facts: [old, fact({ supersedes: 'old' })] }));
    expect(probe?.question).toBe('Which id holds by now for "the rate table"?');
    expect(probe?.expected).toEqual({ type: 'text', accepted: ['kx7f9q2m'], refused: ['a1b2c3'] });
  });

  it.each<[what: string, facts: readonly PlantedFact[]]>([
    ['later than the compaction', [fact({ step: 9 })]],
    ['that the head does not say', [fact({ value: 'zz99zz99' })]],
    ['that are none', [fact({ role: 'distractor' })]],
    ['of one subject with two values', [fact({}), fact({ id: 'two', value: 'src/rates' })]],
  ])('are none of facts %s', (_, facts) => {
    expect(ask({ ...bare, facts }).filter(({ kind }) => kind === 'value')).toEqual([]);
  });

  it('ask first for what a later step uses', () => {
    const facts = [1, 2, 3, 4].map((nth) =>
      fact({ id: `f${nth}`, subject: `s${nth}`, neededAt: nth === 1 ? [7] : [] }),
    );
    const asked = ofKind('value', ask({ ...bare, facts }));
    expect(asked.map(({ question }) => /s\d/.exec(question)?.[0])).toEqual(['s1', 's4', 's3']);
  });

  it('ask what is forbidden, and of as many calls that nobody forbade', () => {
    const ban = fact({ polarity: 'dont', kind: 'constraint', value: 'the legacy gateway' });
    const asked = ofKind('forbidden', ask({ facts: [ban] }));
    expect(asked.map(({ expected }) => expected)).toEqual([
      { type: 'permission', answer: 'FORBIDDEN' },
      { type: 'permission', answer: 'ALLOWED' },
    ]);
    expect(asked[1]?.question).toContain('to call bash npm run build');
  });
});
