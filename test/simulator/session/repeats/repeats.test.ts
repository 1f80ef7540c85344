import { describe, expect, it } from 'vitest';
import {
  type CopyCandidate,
  toCopyCandidate,
} from '../../../../src/simulator/session/repeats/copies.ts';
import { readSessions } from '../../../../src/simulator/session/read.ts';
import { findRepeats } from '../../../../src/simulator/session/repeats/repeats.ts';
import { boundary, call, prompt, result, say, step, summary, transcript } from '../claude-lines.ts';

const candidatesIn = (name: string, text: string) => readSessions(name, text).map(toCopyCandidate);

const repeatsIn = (...files: readonly (readonly [string, string])[]) =>
  findRepeats(files.flatMap(([name, text]) => candidatesIn(name, text)));

/** A recording with every match of a pattern put otherwise. */
const renamed = (text: string, pattern: RegExp, by: string) => text.replaceAll(pattern, by);

const beginning = [
  prompt('The kettle rings too late.'),
  step('m1', call('c1')),
  result('c1'),
  step('m2', say('Found it.')),
];

/** A message of OpenCode. */
const messageOf = (index: number, id: string) => ({
  info: { id, role: index % 2 === 0 ? 'user' : 'assistant', time: { created: 1000 + index } },
  parts: [{ id: `prt_${id}`, type: 'text', text: `text ${index}` }],
});

/** An export of OpenCode. */
const exported = (id: string, indices: readonly number[]) =>
  JSON.stringify({
    info: { id, version: '1.14.51', time: { created: 1, updated: 2 } },
    messages: indices.map((index) => messageOf(index, `msg_${id}_${index}`)),
  });

/** A rollout of Codex. */
const rollout = (id: string, minute: number, said: readonly object[]) =>
  [
    { type: 'session_meta', payload: { id } },
    ...said.map((payload) => ({ type: 'response_item', payload })),
  ]
    .map((line, index) =>
      JSON.stringify({ timestamp: `2026-01-02T03:0${minute}:0${index}.000Z`, ...line }),
    )
    .join('\n');
const ask = (text: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});
const called = (id: string) => [
  { type: 'function_call', name: 'shell', arguments: '{}', call_id: id },
  { type: 'function_call_output', call_id: id, output: 'ok' },
];

/** A session whose messages are letters; the first step is its second message. */
function marked(name: string, letters: string, isPartial: boolean): CopyCandidate {
  const [candidate] = candidatesIn(name, transcript(prompt(name), step('m1', say(name))));
  const ofMessages = Float64Array.from(letters, (letter) => letter.codePointAt(0) ?? 0);
  const marks = { ofMessages, least: 2 };
  return { ...candidate!, sessionId: name, isPartial, marks, size: letters.length };
}

/** Each member with the first of its family. */
const families = (...groups: readonly (readonly string[])[]) =>
  new Map(groups.flatMap((members) => members.map((member) => [member, members[0]])));

describe('findRepeats', () => {
  const old = transcript(...beginning);
  const resumed = renamed(
    transcript(...beginning, prompt('Mend it.'), step('m3', say('Done.'))),
    /"sessionId":"kettle"/g,
    '"sessionId":"cup"',
  );

  it('leaves out a session of Claude Code that was resumed under another id', () => {
    expect(repeatsIn(['old', old], ['resumed', resumed])).toEqual({
      copies: [{ name: 'old', copyOf: 'resumed', isShorter: true }],
      shared: [],
      families: new Map(),
    });
  });

  it('tells where a fork begins with messages of a session that went on', () => {
    const longer = transcript(...beginning, prompt('Leave it.'), step('m4', say('As you wish.')));
    expect(repeatsIn(['longer', longer], ['fork', resumed])).toEqual({
      copies: [],
      shared: [{ name: 'fork', sharedWith: 'longer', messages: 3 }],
      families: families(['fork', 'longer']),
    });
  });

  it('finds what was resumed behind a compaction in the middle of the old session', () => {
    const kept = [prompt('And the cup?'), step('m5', say('It is whole.'))];
    const whole = transcript(...beginning, boundary, summary, ...kept);
    const records = whole.split('\n').slice(beginning.length).join('\n');
    const more = [
      prompt('Pour.'),
      step('m6', say('Poured.')),
      prompt('More.'),
      step('m7', say('No.')),
    ];
    const goesOn = transcript(...Array<typeof summary>(8).fill(boundary), ...more)
      .split('\n')
      .slice(8);
    const text = renamed(records + goesOn.join('\n'), /"kettle"/g, '"cup"');
    expect(repeatsIn(['whole', whole], ['resumed', text])).toEqual({
      copies: [],
      shared: [{ name: 'resumed', sharedWith: 'whole', messages: 2 }],
      families: families(['resumed', 'whole']),
    });
  });

  it('knows a fork of OpenCode by its times, for its ids are new', () => {
    expect(
      repeatsIn(
        ['fork', exported('ses_2', [0, 1, 8, 9])],
        ['old', exported('ses_1', [0, 1, 2, 3, 4])],
      ),
    ).toEqual({
      copies: [],
      shared: [{ name: 'fork', sharedWith: 'old', messages: 2 }],
      families: families(['fork', 'old']),
    });
  });

  it('knows a fork of Codex by its calls, for it was dated anew', () => {
    const kept = rollout('one', 1, [
      ask('Boil.'),
      ...called('call_1'),
      ask('Pour.'),
      ...called('call_2'),
    ]);
    const fork = rollout('two', 2, [ask('Boil.'), ...called('call_1'), ask('Wait.')]);
    expect(repeatsIn(['old', kept], ['fork', fork])).toEqual({
      copies: [],
      shared: [{ name: 'fork', sharedWith: 'old', messages: 2 }],
      families: families(['fork', 'old']),
    });
    const other = rollout('three', 3, [ask('Boil.'), ...called('call_3'), ask('Wait.')]);
    expect(repeatsIn(['old', kept], ['other', other]).shared).toEqual([]);
  });

  it('takes sessions without times that say the same for sessions of their own', () => {
    const chat = JSON.stringify([
      { role: 'user', content: 'Boil.' },
      { role: 'assistant', content: 'Boiling.' },
    ]);
    expect(repeatsIn(['one', chat], ['other', chat])).toEqual({
      copies: [],
      shared: [],
      families: new Map(),
    });
  });

  it('leaves out no sub-agent for its parent, which may begin alike', () => {
    const [one] = candidatesIn('main', old);
    const [other] = candidatesIn('side', resumed);
    const { copies, shared } = findRepeats([{ ...one!, isSide: true }, other!]);
    expect(copies).toEqual([]);
    expect(shared).toEqual([{ name: 'main', sharedWith: 'side', messages: 3 }]);
  });

  it('names of a copy of a copy the session that is counted', () => {
    const growing = transcript(...beginning.slice(0, 2));
    const { copies } = repeatsIn(['first', growing], ['old', old], ['resumed', resumed]);
    expect(copies.map(({ name, copyOf }) => [name, copyOf])).toEqual([
      ['first', 'resumed'],
      ['old', 'resumed'],
    ]);
  });

  it('names of what is shared with a copy the session that is counted', () => {
    const sessions = [
      marked('old', 'abcdef', false),
      marked('end', 'Sbcd', true),
      marked('fork', 'Sbcx', true),
    ];
    expect(findRepeats(sessions)).toEqual({
      copies: [{ name: 'end', copyOf: 'old', isShorter: true }],
      shared: [{ name: 'fork', sharedWith: 'old', messages: 3 }],
      families: families(['fork', 'old']),
    });
  });
});
