import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSessions } from '../../../../src/simulator/session/load.ts';
import {
  findGrowingCopies,
  toCopyCandidate,
} from '../../../../src/simulator/session/find-copies.ts';
import { identifiedStoryOf } from '../../../../src/simulator/session/story.ts';

/** A page of its second column lacks the length of its levels. */
const TORN = join(import.meta.dirname, '../../../fixtures/torn.parquet');
const LOST = 'row without messages';
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'compaction-bench-parquet-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const call = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'bash', arguments: '{"command":"ls"}' },
});

/** A conversation with a call and its output, as a record of a table has it: with null for what is not there. */
const conversation = (task: string) => [
  {
    role: 'system',
    content: 'You are a careful programmer.',
    tool_calls: null,
    tool_call_id: null,
  },
  { role: 'user', content: task, tool_calls: null, tool_call_id: null },
  { role: 'assistant', content: null, tool_calls: [call('c1')], tool_call_id: null },
  { role: 'tool', content: 'README.md', tool_calls: null, tool_call_id: 'c1' },
  { role: 'assistant', content: 'There is one file.', tool_calls: null, tool_call_id: null },
];

const text = (name: string) =>
  ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' }) as const;

const group = (name: string, fields: number, rest: object) => ({
  name,
  num_children: fields,
  ...rest,
});

const list = (name: string) => [
  group(name, 1, { repetition_type: 'OPTIONAL', converted_type: 'LIST' }),
  group('list', 1, { repetition_type: 'REPEATED' }),
];

/** As `datasets` writes a list of records with calls in them. */
const SCHEMA = [
  group('root', 2, {}),
  ...list('trajectory'),
  group('element', 4, { repetition_type: 'OPTIONAL' }),
  text('role'),
  text('content'),
  ...list('tool_calls'),
  group('element', 3, { repetition_type: 'OPTIONAL' }),
  text('id'),
  text('type'),
  group('function', 2, { repetition_type: 'OPTIONAL' }),
  text('name'),
  text('arguments'),
  text('tool_call_id'),
  text('model'),
];

function write(name: string, options: Parameters<typeof parquetWriteBuffer>[0]): string {
  const path = join(folder, name);
  writeFileSync(path, Buffer.from(parquetWriteBuffer(options)));
  return path;
}

const nested = (tasks: readonly string[], rest: object = {}) =>
  write('nested.parquet', {
    columnData: [
      { name: 'trajectory', data: tasks.map(conversation) },
      { name: 'model', data: tasks.map(() => 'openai/gpt-5') },
    ],
    schema: SCHEMA,
    ...rest,
  });

const read = (path: string) =>
  [...loadSessions([path])].map((loaded) => {
    if (loaded.state === 'unread') throw new Error(loaded.reason);
    return loaded;
  });

describe('a Parquet table of conversations', () => {
  it('is read from a column that is named, with short values beside it as labels', () => {
    const path = write('named.parquet', {
      columnData: [
        { name: 'instance_id', data: ['a-1', 'a-2'], type: 'STRING' },
        { name: 'resolved', data: [true, false], type: 'BOOLEAN' },
        { name: 'patch', data: ['x'.repeat(9999), 'y'.repeat(9999)], type: 'STRING' },
        {
          name: 'dialogue_openai',
          data: ['One.', 'Two.'].map((task) => JSON.stringify(conversation(task))),
          type: 'STRING',
        },
      ],
    });
    const options = { column: 'dialogue_openai' };
    const sessions = [...loadSessions([path], options)].map((one) =>
      one.state === 'read' ? one.session : undefined,
    );
    expect(sessions.map((session) => session?.labels)).toEqual([
      { instance_id: 'a-1', resolved: true },
      { instance_id: 'a-2', resolved: false },
    ]);
    expect(sessions[1]?.sessionId).toBe('a-2');
    for (const column of [undefined, 'patch', 'nothing'])
      expect([...loadSessions([path], { column })]).toMatchObject([{ state: 'unread' }]);
  });

  it.each([
    ['nested records', () => nested(['List the files.', 'List them again.'])],
    [
      'JSON',
      () =>
        write('json.parquet', {
          columnData: [
            { name: 'instance_id', data: ['a', 'b'], type: 'STRING' },
            {
              name: 'messages',
              data: ['List the files.', 'List them again.'].map((task) =>
                JSON.stringify(conversation(task)),
              ),
              type: 'STRING',
            },
          ],
        }),
    ],
  ])('is read from %s, a row a session, with its calls and outputs', (_, make) => {
    const path = make();
    const sessions = read(path).map(({ session }) => session);
    expect(sessions.map(({ name }) => name)).toEqual([`${path}#0`, `${path}#1`]);
    for (const { messages, system, report } of sessions) {
      expect(system).toBe('You are a careful programmer.');
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
      const tools = messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool');
      expect(tools).toMatchObject([{ tool: 'bash', state: { output: 'README.md' } }]);
      expect(report.dropped).toEqual({});
    }
  });

  it('has the id of a row, by which several tries at one task are no copies of each other', () => {
    const path = write('tries.parquet', {
      columnData: [
        { name: 'instance_id', data: ['kettle-1', 'kettle-1'], type: 'STRING' },
        {
          name: 'messages',
          data: ['Try.', 'Try again.'].map((task) => JSON.stringify(conversation(task))),
          type: 'STRING',
        },
      ],
    });
    const sessions = read(path).map(({ session }) => session);
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(['kettle-1', 'kettle-1']);
    expect(findGrowingCopies(sessions.map((session) => toCopyCandidate(session)))).toEqual([]);
    expect(identifiedStoryOf(sessions[0]!).sessionId).toBe('kettle-1');
    expect(identifiedStoryOf({ ...sessions[0]!, isRedacted: true }).sessionId).toBeUndefined();
  });

  it('gives one row by its range, whatever row group it is in', () => {
    const tasks = ['one', 'two', 'three', 'four', 'five'];
    const path = nested(tasks, { rowGroupSize: 2 });
    const places = read(path);
    const [again] = [...loadSessions([path], { range: places[3]?.range })];
    expect(again).toMatchObject({ session: { name: `${path}#3` } });
    expect(JSON.stringify(again)).toContain('four');
    expect(places).toHaveLength(5);
  });

  const messages = [JSON.stringify(conversation('List the files.'))];
  const chats = (data: readonly string[], rest: object = {}) =>
    write('torn.parquet', {
      columnData: [{ name: 'messages', data: [...data], type: 'STRING' }],
      codec: 'UNCOMPRESSED',
      statistics: false,
      ...rest,
    });
  /** A table of one row with other bytes, in hexadecimal, in the place of some. */
  const torn = (from: RegExp, to: string, path = chats(messages)) => {
    const whole = readFileSync(path, 'hex');
    expect(whole).toMatch(from);
    writeFileSync(path, whole.replace(from, to), 'hex');
    return path;
  };
  const two = () => chats([...messages, ...messages], { rowGroupSize: 1 });

  it.each<[string, () => string, string, number]>([
    ['a page without the length of its levels', () => TORN, 'a page with a torn header', 0],
    [
      'a page of more values than its column has',
      () => torn(/150215001502/, '150615001502'),
      'a page with a torn header',
      0,
    ],
    [
      'an end that is missing',
      () => torn(/50415231$/, ''),
      'parquet file invalid (footer != PAR1)',
      0,
    ],
    ['rows that are not there', () => torn(/(.*)1602/, '$11606'), "1 of 3 rows of 'messages'", 1],
    ['rows below none', () => torn(/(.*)1602/, '$11601'), "more than -1 rows of 'messages'", 0],
    [
      'a column without a name',
      () => torn(/18086d65737361676573/, '88086d65737361676573'),
      'a column without a name',
      0,
    ],
    [
      'a page in the first of two groups',
      () => torn(/150215001502/, '150615001502', two()),
      'a page with a torn header',
      1,
    ],
  ])('is read up to and behind %s, which one sentence tells', (_, make, why, sessions) => {
    const path = make();
    const reason = `Expected '${path}' to be a whole Parquet table, got one that is damaged: ${why}.`;
    expect([...loadSessions([path])].map((one) => (one.state === 'read' ? '' : one))).toEqual([
      ...Array(sessions).fill(''),
      { state: 'unread', file: path, reason },
    ]);
  });

  it('gives a session by its range with the rows that were lost before it', () => {
    const path = chats(['[]', '{}', ...messages, '[]', ...messages]);
    const [, second] = read(path);
    expect(second).toMatchObject({ session: { report: { dropped: { [LOST]: 1 } } } });
    for (const one of read(path)) {
      const [again] = loadSessions([path], { range: one.range });
      expect(again).toEqual({ ...one, state: 'read' });
    }
  });

  it('is refused for a page that fills the memory', () => {
    const compressors = { GZIP: gzipSync };
    const path = chats([' '.repeat(17 * 2 ** 20)], { codec: 'GZIP', compressors });
    const reason = /above 16 MB of 200 times their packed size, got 17 MB from \d+ kB\.$/;
    expect([...loadSessions([path])]).toEqual([
      { state: 'unread', file: path, reason: expect.stringMatching(reason) },
    ]);
  });

  it('names the columns of a table without a conversation', () => {
    const path = write('numbers.parquet', { columnData: [{ name: 'answer', data: [42] }] });
    expect([...loadSessions([path])]).toMatchObject([
      { state: 'unread', reason: expect.stringContaining('a table with columns "answer"') },
    ]);
  });
});
