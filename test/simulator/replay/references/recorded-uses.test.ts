import { describe, expect, it } from 'vitest';
import { type Message, policies, resolvePolicy } from '../../../../src/engine/index.ts';
import { compileSession } from '../../../../src/simulator/replay/compile.ts';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { RecordedCompaction, Session } from '../../../../src/simulator/session/session.ts';
import { user } from '../../../support/history.ts';
import { countTokens, eventsOf, modelOf, run, summarizerOf, traceOf } from '../lab.ts';
import * as record from '../../session/formats/claude-code-lines.ts';
import { edit, read, say } from './sessions.ts';

const LINES = [1, 2, 3, 4].map((nth) => `Line ${nth} of the file about the shop.`);
const ALL = LINES.join('\n');

const READS_AGAIN = read('s3', 'f', ALL);
const EDITS = edit('s3', 'f', LINES[0]!);

/** One that replaced what is before the second turn, unless told otherwise. */
const compacted = (overrides: Partial<RecordedCompaction> = {}): RecordedCompaction => ({
  kind: 'full',
  messageIndex: 3,
  ...overrides,
});
const cleared = (clearedCallIds?: readonly string[]) =>
  compacted({ kind: 'micro', ...(clearedCallIds && { clearedCallIds }) });

const sessionWith = (...later: readonly Message[]): readonly Message[] => [
  user('u1', 'Mind collectInvoices.'),
  read('s1', 'f', ALL),
  say('s2', 'See renderInvoices.'),
  user('u2', 'Go on.'),
  ...later,
];
const callIdOf = ({ parts: [part] }: Message) => (part?.type === 'tool' ? part.callId : '');

const usesIn = (
  messages: readonly Message[],
  recordedCompactions: readonly RecordedCompaction[],
  recorder: { readonly format?: string; readonly release?: readonly number[] },
) => {
  const trace = traceOf(messages, { format: 'claude-code', recordedCompactions, ...recorder });
  return trace
    .references()
    .all.filter(({ kind }) => kind !== 'path')
    .map(({ step, kind, use, content }) => `${step} ${kind} ${use} ${content}`);
};

const CODEX = { format: 'codex', release: [0, 99, 0] };
const UNCLAIMED = { format: 'codex', release: [0, 1, 0] };

describe('the uses that a recording makes of earlier content', () => {
  it.each<
    [
      name: string,
      expected: string,
      later: readonly Message[],
      compactions: readonly RecordedCompaction[],
      recorder?: { readonly format?: string; readonly release?: readonly number[] },
    ]
  >([
    ['read again though held', '3 given-back habit file', [READS_AGAIN], []],
    [
      'read again though the compaction kept it',
      '3 given-back habit file',
      [READS_AGAIN],
      [compacted({ firstKeptMessageIndex: 1 })],
    ],
    [
      'read again because it was replaced',
      '3 given-back caused file',
      [READS_AGAIN],
      [compacted()],
    ],
    [
      'read again before it was replaced',
      '3 given-back habit file',
      [READS_AGAIN],
      [compacted({ messageIndex: 5 })],
    ],
    [
      'read again because it was cleared',
      '3 given-back caused file',
      [READS_AGAIN],
      [cleared([callIdOf(READS_AGAIN).replace('s3', 's1')])],
    ],
    [
      'read again though another was cleared',
      '3 given-back habit file',
      [READS_AGAIN],
      [cleared(['x'])],
    ],
    [
      'read again, and which were cleared is not said',
      '3 given-back unknown file',
      [READS_AGAIN],
      [cleared()],
    ],
    ['gone on from while held', '3 anchor used file', [EDITS], []],
    [
      'gone on from in a generated session',
      '3 anchor used file',
      [EDITS],
      [compacted()],
      { format: 'generated' },
    ],
    ['gone on from after it was replaced', '3 anchor carried file', [EDITS], [compacted()]],
    [
      'gone on from what a later read holds',
      '4 anchor used file',
      [READS_AGAIN, edit('s4', 'f', LINES[0]!)],
      [compacted()],
    ],
    ['named, by who said it', '3 name carried said', [say('s3', 'renderInvoices')], [compacted()]],
    [
      'of prompts that the preset keeps',
      '3 name used said',
      [say('s3', 'collectInvoices')],
      [compacted()],
      CODEX,
    ],
    [
      'of answers that the preset does not keep',
      '3 name carried said',
      [say('s3', 'renderInvoices')],
      [compacted()],
      CODEX,
    ],
    [
      'unknown where neither format nor preset says it',
      '3 anchor unknown file',
      [EDITS],
      [compacted()],
      UNCLAIMED,
    ],
  ])('are known: %s', (_, expected, later, compactions, recorder = {}) => {
    expect(usesIn(sessionWith(...later), compactions, recorder)).toContain(expected);
  });

  it('charge an arm that clears what the summary of the recording told', () => {
    const trace = traceOf(sessionWith(EDITS), {
      format: 'claude-code',
      recordedCompactions: [compacted()],
    });
    const prune = { enabled: true, byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0 } };
    const policy = resolvePolicy(policies['opencode-1.2.16'], { prune });
    const { events } = run(trace, {
      policy,
      model: modelOf({}, { limits: { contextTokens: 1_000_000 } }),
    });
    expect(eventsOf(events, 'reference')).toMatchObject([{ use: 'carried', missedBy: 'prune' }]);
  });

  it('charge an arm that compacts at the same places for what that caused, and for nothing else', () => {
    const later = [
      READS_AGAIN,
      say('s4', 'renderInvoices'),
      user('u3'),
      read('s5', 'f', ALL),
      say('s6', 'ok'),
    ];
    const trace = traceOf(sessionWith(...later), {
      format: 'claude-code',
      recordedCompactions: [compacted()],
    });
    const { events } = run(trace, {
      policy: policies['opencode-1.2.16'],
      model: modelOf({}, { limits: { contextTokens: 1_000_000 } }),
      summarizer: summarizerOf(() => ({ state: 'finished', text: 'Done.', finish: 'stop' })),
      faults: [
        { on: 'compact', step: 3 },
        { on: 'compact', step: 5 },
      ],
    });
    const gone = eventsOf(events, 'reference').filter(
      ({ missedBy, goneBy, kind }) => kind !== 'path' && (missedBy ?? goneBy),
    );
    expect(gone.map(({ step, use, missedBy, goneBy }) => [step, use, missedBy, goneBy])).toEqual([
      [3, 'caused', 'pivot', undefined],
      [4, 'carried', undefined, 'pivot'],
      [5, 'habit', undefined, 'pivot'],
    ]);
  });
});

describe('the needs of a sub-agent', () => {
  it('are found in its own session, and no need of its parent rests on them', () => {
    const side = { isSidechain: true, agentId: 'a1', parentUuid: null };
    const task = { type: 'tool_use', id: 't1', name: 'Task', input: { prompt: 'Find it.' } };
    const readAt = (id: string) => [
      {
        ...record.step(id, { ...record.call(id), input: { file_path: 'f' } }),
        ...side,
        uuid: `${id}-call`,
      },
      {
        ...record.result(id, `export function collectInvoices() {\n${ALL}`),
        ...side,
        parentUuid: `${id}-call`,
      },
    ];
    const own = record.transcript(
      record.prompt('Mend it.'),
      record.step('m1', task),
      { ...record.prompt('Find it.'), ...side },
      ...readAt('s1'),
      ...readAt('s2'),
      { ...record.result('t1', 'Found.'), parentUuid: 'u2' },
      record.step('m2', {
        type: 'tool_use',
        id: 'e1',
        name: 'Edit',
        input: { file_path: 'g', old_string: LINES[0], new_string: 'collectInvoices()' },
      }),
      record.result('e1', 'ok'),
    );
    const needsOf = (session: Session) => {
      const count = countTokens;
      const trace = compileSession(session, {
        tokenizer: 'lab',
        tokenizerEvidence: 'measured',
        count,
      });
      return trace.references().all.map(({ kind, use }) => `${kind} ${use}`);
    };
    const sessions = readSessions('kettle.jsonl', own);
    expect(sessions.map(({ isSide }) => isSide)).toEqual([false, true]);
    expect(sessions.map(needsOf)).toEqual([[], ['given-back habit']]);
  });
});
