import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { SideSessionLink } from '../../../../src/simulator/session/session.ts';
import {
  boundary,
  call,
  type Line,
  outline,
  prompt,
  readLines,
  result,
  say,
  step,
  summary,
  system,
  transcript,
} from './claude-code-lines.ts';

const after = (parentUuid: string): Line => ({ parentUuid });
const answered = [prompt('x'), step('m1', say('a'))];
const all = ['user: x', 'assistant: a', 'user: y', 'assistant: b', 'user: z', 'assistant: c'];
const kept = ['user: x', 'assistant: a', 'user: z', 'assistant: c'];

describe('a prompt that follows what an earlier one followed', () => {
  it.each<[string, readonly Line[], number]>([
    ['an answer', [prompt('y'), step('m2', say('b'))], 2],
    ['none', [prompt('y')], 1],
    ['calls', [prompt('y'), step('m2', call('c')), result('c'), step('m3', say('b'))], 3],
    ['several records of one step', [prompt('y'), step('m2', say('b')), step('m2', call('c'))], 2],
    ['a note before it', [system('turn_duration'), prompt('y'), step('m2', say('b'))], 2],
    ['a note after it', [prompt('y'), step('m2', say('b')), system('turn_duration')], 2],
    ['a command in its place', [prompt('<command-name>/y'), step('m2', say('b'))], 1],
    ['a rewind of its own', [prompt('y'), step('m2', say('b')), prompt('w', after('u2'))], 3],
  ])('takes the place of the one with %s', (_, lines, count) => {
    const again = prompt('z', after('u2'));
    const session = readLines(...answered, ...lines, again, step('m9', say('c')));
    expect(outline(session)).toEqual(kept);
    expect(session.report.dropped).toEqual({ 'message of another branch': count });
  });

  it('takes the place of compactions, too', () => {
    const micro = system('microcompact_boundary');
    const rewound = [prompt('y'), step('m2', say('b')), micro, prompt('z', after('u2'))];
    expect(readLines(...answered, ...rewound).recordedCompactions).toEqual([]);
  });

  it('has nothing to say of what stands elsewhere', () => {
    const rewound = [boundary, summary, prompt('y'), step('m2', say('b'))];
    const session = readLines(...answered, ...rewound, prompt('z', after('u4')));
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'user: z']);
    expect(session.recordedCompactions).toMatchObject([{ messageIndex: 2 }]);
  });
});

describe('a prompt that follows nothing', () => {
  const root: Line = { parentUuid: null };
  const again = [prompt('z', root), step('m3', say('c'))];

  it.each<[string, readonly Line[]]>([
    ['the first prompt', answered],
    ['what a program wrote before it', [system('turn_duration'), ...answered]],
    ['an earlier rewind', [...answered, prompt('y', root), step('m2', say('b'))]],
  ])('takes the place of %s', (_, lines) => {
    const session = readLines(...lines, ...again);
    expect(outline(session)).toEqual(['user: z', 'assistant: c']);
    const count = lines.length - (lines[0]?.['type'] === 'system' ? 1 : 0);
    expect(session.report.dropped).toEqual({ 'message of another branch': count });
  });

  it.each<[string, readonly Line[]]>([
    ['another session', answered.map((line) => ({ ...line, sessionId: 'before' }))],
    ['a recorder that links nothing', answered.map((line) => ({ ...line, ...root }))],
    ['a compaction', [...answered, boundary, summary]],
  ])('leaves alone what is of %s', (_, lines) => {
    const session = readLines(...lines, ...again);
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'user: z', 'assistant: c']);
    expect(session.report.dropped).toEqual({});
  });
});

describe('a fork of the tree is no rewind', () => {
  const [y, b] = [prompt('y'), step('m2', say('b'))];
  const c = step('m3', say('c'));

  it.each<[string, readonly Line[]]>([
    ['where both follow a record that is lost', [prompt('y', after('lost')), b]],
    ['where the new prompt is of another session', [{ ...y, sessionId: 'before' }, b]],
    ['where the conversation goes on in the old branch', [y, { ...b, uuid: 'b' }]],
  ])('%s', (where, lines) => {
    const parentUuid = where.endsWith('lost') ? 'lost' : 'u2';
    const end = where.endsWith('branch') ? after('b') : {};
    const z = prompt('z', { parentUuid });
    const session = readLines(...answered, ...lines, z, { ...c, ...end });
    expect(outline(session)).toEqual(all);
    expect(session.report.dropped).toEqual({});
  });

  it.each<[string, Line]>([
    ['a note', system('turn_duration')],
    ['a microcompaction', system('microcompact_boundary')],
    ['an echo of a command', prompt('<command-name>/model')],
    ['text of a program', prompt('Mind the steam.', { isMeta: true })],
  ])('where the old branch holds nothing but %s', (_, note) => {
    const session = readLines(...answered, y, b, note, prompt('z', after('u4')), c);
    expect(session.messages).toHaveLength(all.length);
    expect(session.recordedCompactions).toHaveLength(
      note['subtype'] === 'microcompact_boundary' ? 1 : 0,
    );
  });

  it('where tools answer side by side', () => {
    const session = readLines(
      prompt('x'),
      step('m1', call('c')),
      step('m1', call('d')),
      { ...result('c'), ...after('u2') },
      { ...result('d'), ...after('u3') },
      step('m2', say('a')),
      prompt('y'),
    );
    expect(outline(session)).toEqual([
      'user: x',
      'assistant: c:completed d:completed',
      'assistant: a',
      'user: y',
    ]);
  });

  it.each<[string, Line]>([
    ['a summary', summary],
    ['a result', result('c')],
    ['a command', prompt('<command-name>/model')],
    ['text of a program', prompt('Mind the steam.', { isMeta: true })],
  ])('where what follows is %s', (_, line) => {
    const session = readLines(...answered, y, b, { ...line, ...after('u2') });
    expect(session.messages).toHaveLength(4);
  });
});

const FOLDER = resolve(
  import.meta.dirname,
  '../../../../../shared/sessions/claude-code/codemie-incremental-subagents',
);
const hasFolder = existsSync(FOLDER);
const readRecorded = (file: string) => readSessions(file, readFileSync(join(FOLDER, file), 'utf8'));
const note = hasFolder ? '' : ' (skipped: ../shared/sessions is not there)';

const side = { isSidechain: true, parentUuid: null };
const readAll = (...lines: readonly Line[]) => readSessions('kettle.jsonl', transcript(...lines));
const linksOf = (...lines: readonly Line[]) => readAll(...lines)[0]?.sideSessions;
const task = (id: string, given: unknown = 'Look.', name = 'Task') =>
  step(`m-${id}`, { ...call(id, name), input: { prompt: given } });
const answer = (id: string, toolUseResult: unknown) => ({ ...result(id), toolUseResult });
const link = (callId: string, sessionId: string): SideSessionLink => ({ callId, sessionId });

describe('the session of a sub-agent', () => {
  it('is linked to the call whose result names it, though it lies in another file', () => {
    const links = linksOf(
      prompt('x'),
      task('c1'),
      task('c2', 'Boil.', 'Agent'),
      answer('c2', { agentId: 'a2', status: 'completed' }),
      answer('c1', { agentId: 'a1' }),
    );
    expect(links).toEqual([link('c1', 'a1'), link('c2', 'a2')]);
  });

  it.each<[string, unknown]>([
    ['a text', 'agentId'],
    ['a list', [{ agentId: 'a1' }]],
    ['an object without an agent', { status: 'completed' }],
    ['an agent that is no text', { agentId: 7 }],
    ['an agent without a name', { agentId: '' }],
    ['nothing', null],
  ])('is not told by a result that is %s', (_, toolUseResult) => {
    const [session] = readAll(prompt('x'), task('c1'), answer('c1', toolUseResult));
    expect(session).not.toHaveProperty('sideSessions');
  });

  it('is not told by a record with several results, nor by one without a call', () => {
    const several = prompt(
      ['c1', 'c2'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'done' })),
      { toolUseResult: { agentId: 'a1' } },
    );
    const orphan = answer('c9', { agentId: 'a9' });
    expect(linksOf(prompt('x'), task('c1'), task('c2'), several, orphan)).toBeUndefined();
  });

  it('is the one of the first of several results', () => {
    const told = ['a1', 'a2'].map((agentId) => answer('c1', { agentId }));
    expect(linksOf(prompt('x'), task('c1'), ...told)).toEqual([link('c1', 'a1')]);
  });

  it('may answer several calls', () => {
    const told = ['c1', 'c2'].map((id) => answer(id, { agentId: 'a1' }));
    const links = linksOf(prompt('x'), task('c1'), task('c2'), ...told);
    expect(links).toEqual([link('c1', 'a1'), link('c2', 'a1')]);
  });

  it('may have links of its own, but none to itself', () => {
    const inside = { ...side, agentId: 'a1' };
    const [main, inner] = readAll(
      prompt('x'),
      task('c1'),
      prompt('Look.', inside),
      { ...task('c2', 'Boil.'), ...inside },
      { ...answer('c2', { agentId: 'a2' }), ...inside },
      { ...task('c1'), ...inside },
      answer('c1', { agentId: 'a1' }),
    );
    expect(main?.sideSessions).toEqual([link('c1', 'a1')]);
    expect(inner?.sideSessions).toEqual([link('c2', 'a2')]);
  });
});

describe('the session of a sub-agent that no result names', () => {
  const begin = (uuid: string, text: unknown = 'Look.') => prompt(text, { ...side, uuid });

  it('is linked to the first call of its prompt that has none', () => {
    const links = linksOf(
      prompt('x'),
      task('c1', 'Boil.'),
      task('c2'),
      task('c2'),
      task('c3'),
      begin('s1'),
      begin('s2', [say('Look.')]),
      begin('s3'),
      begin('s4', 'Boil.'),
    );
    expect(links).toEqual([link('c1', 's4'), link('c2', 's1'), link('c3', 's2')]);
  });

  it('leaves calls to those that a result names', () => {
    const links = linksOf(
      prompt('x'),
      task('c1'),
      task('c2'),
      begin('s1'),
      prompt('Look.', { ...side, agentId: 'a1' }),
      answer('c1', { agentId: 'a1' }),
    );
    expect(links).toEqual([link('c1', 'a1'), link('c2', 's1')]);
  });

  it.each<[string, Line, Line]>([
    ['another prompt', task('c1', 'Look!'), begin('s1')],
    ['another tool', task('c1', 'Look.', 'WebFetch'), begin('s1')],
    ['a prompt that is no text', task('c1', 7), begin('s1')],
    ['no prompt', step('m1', { ...call('c1', 'Task'), input: null }), begin('s1')],
    ['no words on its side', task('c1'), step('s1', say('Look.'), { ...side, uuid: 's1' })],
  ])('is linked to no call of %s', (_, started, begun) => {
    const sessions = readAll(prompt('x'), started, begun);
    expect(sessions).toHaveLength(2);
    expect(sessions[0]).not.toHaveProperty('sideSessions');
  });
});

describe.skipIf(!hasFolder)(`a recorded sub-agent${note}`, () => {
  it('is linked by the id under which its own file is read', () => {
    const [main] = readRecorded('turn-2.jsonl');
    const [inner] = readRecorded('turn-2/subagents/agent-a485154.jsonl');
    expect(inner).toMatchObject({ isSide: true, sessionId: 'a485154' });
    expect(inner).toHaveProperty('parentSessionId', main?.sessionId);
    expect(main?.sideSessions?.map(({ sessionId }) => sessionId)).toEqual([inner?.sessionId]);
  });
});

const aside = { isSidechain: true };

describe('side sessions', () => {
  const sessions = readAll(
    prompt('x'),
    step('m1', say('a')),
    prompt('first task', { ...aside, uuid: 's1', parentUuid: null }),
    prompt('second task', { ...aside, uuid: 'r1', parentUuid: null }),
    system('progress', {
      ...aside,
      type: 'progress',
      uuid: 's2',
      parentUuid: 's1',
    }),
    step('m2', say('b'), { ...aside, uuid: 's3', parentUuid: 's2' }),
    step('m3', say('c'), { ...aside, uuid: 'r2', parentUuid: 'r1' }),
    step('m4', say('d'), { parentUuid: 'u2' }),
  );

  it('are kept apart by the record that they begin with, through records of all types', () => {
    expect(sessions.map(outline)).toEqual([
      ['user: x', 'assistant: a', 'assistant: d'],
      ['user: first task', 'assistant: b'],
      ['user: second task', 'assistant: c'],
    ]);
  });

  it('are named by their place in the file, and known by where they begin', () => {
    expect(sessions.map(({ name, sessionId, isSide }) => [name, sessionId, isSide])).toEqual([
      ['kettle.jsonl#0', 'kettle', false],
      ['kettle.jsonl#1', 's1', true],
      ['kettle.jsonl#2', 'r1', true],
    ]);
  });

  it('are kept apart where they begin at one record of the main session', () => {
    const found = readAll(
      prompt('x'),
      system('', { type: 'progress' }),
      prompt('first', { ...aside, parentUuid: 'u2' }),
      prompt('second', { ...aside, parentUuid: 'u2' }),
    );
    expect(found.map(outline)).toEqual([['user: x'], ['user: first'], ['user: second']]);
  });

  it('are kept apart where the main session went on between them', () => {
    const found = readAll(
      prompt('x'),
      prompt('first', aside),
      step('m1', say('a')),
      prompt('second', aside),
    );
    expect(found.map(outline)).toEqual([
      ['user: x', 'assistant: a'],
      ['user: first'],
      ['user: second'],
    ]);
  });

  it('are kept apart by agent where records name one', () => {
    const [one, two] = [
      { ...aside, agentId: 'one' },
      { ...aside, agentId: 'two' },
    ];
    const found = readAll(
      prompt('x'),
      prompt('first', one),
      prompt('second', two),
      step('m1', say('a'), one),
      step('m2', say('b'), two),
    );
    expect(found.map(outline)).toEqual([
      ['user: x'],
      ['user: first', 'assistant: a'],
      ['user: second', 'assistant: b'],
    ]);
  });

  it('are a single one where the file holds nothing else', () => {
    const found = readAll(
      prompt('task', aside),
      step('m1', say('a'), { ...aside, agentId: 'one' }),
      system('turn_duration'),
      step('m2', say('b'), { ...aside, parentUuid: null }),
    );
    expect(found.map(outline)).toEqual([['user: task', 'assistant: a', 'assistant: b']]);
    expect(found[0]).toMatchObject({ name: 'kettle.jsonl', sessionId: 'one', isSide: true });
  });

  it('do not hang on records that are their own ancestors', () => {
    const found = readAll(
      prompt('x'),
      prompt('task', { ...aside, uuid: 'a', parentUuid: 'b' }),
      step('m1', say('a'), { ...aside, uuid: 'b', parentUuid: 'a' }),
    );
    expect(found.map(outline)).toEqual([['user: x'], ['user: task', 'assistant: a']]);
  });
});

const usage = (output: number, input = 3) => ({
  message: {
    usage: {
      input_tokens: input,
      cache_read_input_tokens: 50,
      cache_creation_input_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 7 },
      output_tokens: output,
    },
  },
});

describe('steps', () => {
  it('puts records with one message id together, with results from between them', () => {
    const session = readLines(
      prompt('Why so late?'),
      step('m1', { type: 'thinking', thinking: 'Look.', signature: 'c2ln' }),
      step('m1', call('t1')),
      result('t1'),
      step('m1', call('t2')),
      result('t2', 'no such file', { is_error: true }),
      step('m2', say('Done.')),
    );
    expect(outline(session)).toEqual([
      'user: Why so late?',
      'assistant: reasoning t1:completed t2:error',
      'assistant: Done.',
    ]);
    expect(session.messages.map(({ id }) => id)).toEqual(['u1', 'm1', 'm2']);
  });

  it('counts usage once, and takes the last', () => {
    const { messages } = readLines(
      prompt('x'),
      step('m1', say('a'), usage(1)),
      step('m1', say('b'), usage(80)),
      step('m1', say('c')),
    );
    expect(messages[1]).toMatchObject({
      usage: { input: 3, output: 80, reasoning: 0, cacheRead: 50, cacheWrite: 7 },
    });
  });

  it.each<[string, unknown]>([
    ['all counts are zero', { input_tokens: 0, output_tokens: 0 }],
    ['only the output is told', { output_tokens: 9 }],
    ['the input is no number', { input_tokens: '3', output_tokens: 9 }],
    ['nothing is told', {}],
  ])('has no usage where %s', (_, recorded) => {
    const { messages } = readLines(
      prompt('x'),
      step('m1', say('a'), { message: { usage: recorded } }),
    );
    expect(messages[1]).not.toHaveProperty('usage');
  });

  it.each<[string, Line]>([
    [
      'notices of the program',
      step('n', say('No response.'), { message: { model: '<synthetic>' } }),
    ],
    ['errors of the provider', step('n', say('API Error'), { isApiErrorMessage: true })],
  ])('leaves out %s, and says so', (_, notice) => {
    const session = readLines(prompt('x'), notice, step('m1', say('a')));
    expect(outline(session)).toEqual(['user: x', 'assistant: a']);
    expect(session.report.dropped).toEqual({ 'local notice': 1 });
    expect(session.model).toBe('anthropic/claude-kettle-1');
  });

  it('names the finish by what the recording did next', () => {
    const { messages } = readLines(
      prompt('x'),
      step('m1', call('t1'), { message: { stop_reason: 'max_tokens' } }),
      step('m2', say('a'), { message: { stop_reason: null } }),
      prompt('y'),
      step('m3', call('t2')),
    );
    expect(
      messages.map((each) => each.role === 'assistant' && [each.finish, each.parentId]),
    ).toEqual([false, ['tool-calls', 'u1'], ['stop', 'u1'], false, ['stop', 'u4']]);
  });

  it('gives a step without message id the id of its record', () => {
    const bare = { message: { id: undefined } };
    const { messages } = readLines(prompt('x'), step('', say('a'), bare), step('', say('b'), bare));
    expect(messages.map(({ id }) => id)).toEqual(['u1', 'u2', 'u3']);
  });
});

describe('tools', () => {
  it('leaves a call without a result running', () => {
    expect(outline(readLines(prompt('x'), step('m1', call('t1'))))).toContain(
      'assistant: t1:running',
    );
  });

  it('counts a result without a call', () => {
    const session = readLines(prompt('x'), step('m1', call('t1')), result('t1'), result('lost'));
    expect(session.report.dropped).toEqual({ 'tool result without a call': 1 });
    expect(session.isPartial).toBe(false);
  });

  it('holds each call and each result once', () => {
    const session = readLines(
      prompt('x'),
      step('m1', call('t1')),
      result('t1', 'first'),
      result('t1', 'second'),
      step('m2', call('t1')),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: t1:completed', 'assistant:']);
    expect(session.messages[1]?.parts[0]).toMatchObject({ state: { output: 'first' } });
    expect(session.report.dropped).toEqual({ 'repeated tool result': 1, 'repeated tool call': 1 });
  });

  it('joins the texts of an output and keeps its images apart', () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    };
    const session = readLines(
      prompt('x'),
      step('m1', call('t1')),
      result('t1', [say('one'), image, say('two'), { type: 'dance' }]),
    );
    expect(session.messages[1]?.parts[0]).toMatchObject({
      state: {
        output: 'one\ntwo',
        attachments: [{ id: 'm1-1-file-1', mime: 'image/png', url: 'data:image/png;base64,AAAA' }],
      },
    });
    expect(session.report.dropped).toEqual({ 'unknown content block': 1 });
  });

  it('lists the tools that a search for tools found', () => {
    const references = ['boil', 'pour'].map((name) => ({
      type: 'tool_reference',
      tool_name: name,
    }));
    const found = { type: 'tool_search_tool_search_result', tool_references: references };
    const session = readLines(
      prompt('x'),
      step('m1', call('t1')),
      result('t1', references),
      step('m2', call('t2')),
      result('t2', found),
    );
    for (const index of [1, 2]) {
      expect(session.messages[index]?.parts).toMatchObject([{ state: { output: 'boil\npour' } }]);
    }
    expect(session.report.dropped).toEqual({});
  });

  it('does not read the second copy of an output', () => {
    const copy = { ...result('t1'), toolUseResult: { originalFile: 'the whole file' } };
    const session = readLines(prompt('x'), step('m1', call('t1')), copy);
    expect(JSON.stringify(session)).not.toContain('the whole file');
  });
});

describe('records', () => {
  it('of a known type that no model saw are left out in silence', () => {
    const kinds = [
      'summary',
      'progress',
      'file-history-snapshot',
      'queue-operation',
      'pr-link',
      'mode',
    ];
    const session = readLines(
      prompt('x'),
      ...kinds.map((type) => ({ type })),
      system('turn_duration'),
    );
    expect(outline(session)).toEqual(['user: x']);
    expect(session.report).toEqual({ dropped: {}, repaired: {} });
  });

  it('that are broken, unknown, repeated or glued are counted', () => {
    const [first, second, third] = transcript(
      prompt('x'),
      { type: 'new-in-2030' },
      step('m1', say('a')),
    )
      .trim()
      .split('\n');
    const text = `${first}${second}\n${third}\n${first}\n42\n{"type":"user","mess`;
    const [session] = readSessions('kettle.jsonl', text);
    expect(outline(session!)).toEqual(['user: x', 'assistant: a']);
    expect(session!.report).toEqual({
      dropped: {
        'broken line': 1,
        'line that is no object': 1,
        'repeated record': 1,
        'unknown record "new-in-2030"': 1,
      },
      repaired: { 'record on the line of another': 1 },
    });
  });

  it('stand in the order in which they were written, whatever their time', () => {
    const session = readLines(
      prompt('x', { timestamp: '2026-01-02T09:00:00Z' }),
      step('m1', say('a'), { timestamp: 'no time' }),
      prompt('y', { timestamp: '2026-01-02T08:00:00Z' }),
    );
    expect(session.messages.map(({ createdAt }) => createdAt)).toEqual([
      Date.parse('2026-01-02T09:00:00Z'),
      0,
      Date.parse('2026-01-02T08:00:00Z'),
    ]);
  });

  it('without any message are no session', () => {
    const notice = step('n', say('x'), { isApiErrorMessage: true });
    expect(() => readLines(notice)).toThrow(/got a transcript without messages\.$/);
  });
});

describe('isOutputFinal', () => {
  const long = 'x'.repeat(81);

  it.each<[string, readonly [text: string, tokens: number][], boolean]>([
    [
      'is true where counts fit their texts',
      [
        ['tea', 1],
        [long, 20],
      ],
      true,
    ],
    ['is true up to 80 characters', [[long.slice(1), 3]], true],
    ['is true from 4 tokens on', [[long, 4]], true],
    [
      'is false where one count is that of a begun stream',
      [
        ['tea', 1],
        [long, 3],
        [long, 20],
      ],
      false,
    ],
    ['is false without usage', [], false],
  ])('%s', (_, told, expected) => {
    const steps = told.map(([text, tokens], index) => step(`m${index}`, say(text), usage(tokens)));
    expect(readLines(prompt('x'), ...steps).isOutputFinal).toBe(expected);
  });
});
