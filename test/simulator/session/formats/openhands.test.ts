import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { outline } from './claude-code-lines.ts';
import { manifest, note, read as readOfManifest, textOf } from '../manifest.ts';
import { toolsOf, usagesOf } from '../tools-of.ts';

type Fields = Readonly<Record<string, unknown>>;

const event = (id: number, over: Fields): Fields => ({
  id,
  timestamp: '2026-01-02T03:04:05.006',
  ...over,
});
const system = event(0, { source: 'agent', action: 'system', args: { content: 'Be kind.' } });
const prompt = (id: number, content: string) =>
  event(id, { source: 'user', action: 'message', args: { content } });
const usage = { prompt_tokens: 50, completion_tokens: 9, total_tokens: 59 };

/** The metadata of one answer: the response and its calls. */
function metadataOf(responseId: string, callId: string, over: Fields = {}): Fields {
  const { model = 'kettle-1', ...said } = over;
  const args = JSON.stringify({ command: `ls ${callId}` });
  const calls = [{ id: callId, function: { name: 'execute_bash', arguments: args } }];
  const answer = { role: 'assistant', content: 'I look.', tool_calls: calls, ...said };
  return {
    function_name: 'execute_bash',
    tool_call_id: callId,
    total_calls_in_response: 1,
    model_response: { id: responseId, model, usage, choices: [{ message: answer }] },
  };
}

const run = (id: number, responseId: string, callId: string, over: Fields = {}) =>
  event(id, {
    source: 'agent',
    action: 'run',
    args: { command: 'ls', thought: 'no', hidden: false },
    tool_call_metadata: metadataOf(responseId, callId),
    ...over,
  });
const seen = (id: number, cause: number, content: string, observation = 'run') =>
  event(id, { source: 'agent', observation, cause, content, extras: {} });

const instance = (name: string, ...history: readonly unknown[]): Fields => ({
  instance_id: name,
  instruction: 'Boil it.',
  history,
  metrics: {},
});
const lines = (...instances: readonly unknown[]) =>
  instances.map((each) => `${JSON.stringify(each)}\n`).join('');
const readAll = (...instances: readonly unknown[]) =>
  readSessions('output.jsonl', lines(...instances));
const read = (...history: readonly unknown[]): Session => readAll(instance('tea', ...history))[0]!;

const whole = [system, prompt(1, 'Boil.'), run(2, 'r1', 't1'), seen(3, 2, 'cup')];

describeSessionFormat({
  name: 'openhands',
  text: lines(instance('tea', ...whole), instance('coffee', ...whole)),
});

describe('instances', () => {
  it('are sessions of their own, in which ids of calls begin anew', () => {
    const sessions = readAll(instance('tea', ...whole), instance('coffee', ...whole));
    expect(sessions.map(({ name, sessionId }) => [name, sessionId])).toEqual([
      ['output.jsonl#0', 'tea'],
      ['output.jsonl#1', 'coffee'],
    ]);
    expect(sessions.map((session) => toolsOf(session).map(({ callId }) => callId))).toEqual([
      ['t1'],
      ['t1'],
    ]);
  });

  it('that cannot be read are counted', () => {
    const text = `${lines({ no: 1 }, instance('tea', ...whole))}{"torn`;
    const [session] = readSessions('x', text);
    expect(session?.report.dropped).toEqual({ 'broken line': 1, 'line that is no instance': 1 });
  });

  it('of one file without a message are refused', () => {
    expect(() => read(system)).toThrow(/got instances without messages\.$/);
  });
});

describe('a history', () => {
  it('pairs what came of an action by its cause', () => {
    const session = read(
      system,
      prompt(1, 'Boil.'),
      run(2, 'r1', 't1'),
      run(3, 'r2', 't2'),
      seen(4, 3, 'spoon'),
      seen(5, 2, 'cup', 'error'),
    );
    expect(toolsOf(session)).toMatchObject([
      { callId: 't1', tool: 'execute_bash', state: { status: 'error', error: 'cup' } },
      { callId: 't2', state: { output: 'spoon', input: { command: 'ls t2' } } },
    ]);
    expect(session).toMatchObject({ system: 'Be kind.', model: 'unknown/kettle-1' });
    expect(session.messages[0]?.createdAt).toBe(Date.UTC(2026, 0, 2, 3, 4, 5, 6));
  });

  it.each<[string, string, unknown]>([
    ['another code than 0', 'error', { exit_code: 2 }],
    ['no code yet, as one that runs on', 'error', { exit_code: -1 }],
    ['0', 'completed', { exit_code: 0 }],
    ['a code that is no number', 'completed', { exit_code: '2' }],
    ['nothing', 'completed', undefined],
  ])('makes of a command that ended with %s a call with the status %s', (_, status, metadata) => {
    const ended = { ...seen(3, 2, 'cup'), extras: { metadata } };
    const session = read(prompt(1, 'Boil.'), run(2, 'r1', 't1'), ended);
    expect(toolsOf(session)).toMatchObject([{ state: { status } }]);
  });

  it.each<[string, string, string, string]>([
    ['made no replacement', 'edit', 'ERROR:\nNo replacement was performed.', 'error'],
    ['found no such lines', 'read', 'ERROR:\nInvalid `view_range`.', 'error'],
    ['edited', 'edit', 'The file has been edited.\nERROR:\n', 'completed'],
    ['printed the same, being a command', 'run', 'ERROR:\nNo.', 'completed'],
  ])('makes of an editor that %s a call with its status', (_, observation, content, status) => {
    const told = seen(3, 2, content, observation);
    const session = read(prompt(1, 'Boil.'), run(2, 'r1', 't1'), told);
    expect(toolsOf(session)).toMatchObject([{ state: { status } }]);
  });

  it('has no usage for a step of which only the output is told', () => {
    const metadata = metadataOf('r1', 't1');
    const response = { ...(metadata['model_response'] as Fields), usage: { completion_tokens: 9 } };
    const answered = { tool_call_metadata: { ...metadata, model_response: response } };
    expect(usagesOf(read(prompt(1, 'Boil.'), run(2, 'r1', 't1', answered)))).toEqual([undefined]);
  });

  it('makes one step of all actions of one answer, counted once', () => {
    const session = read(
      prompt(1, 'Boil.'),
      run(2, 'r1', 't1'),
      seen(3, 2, 'cup'),
      run(4, 'r1', 't2'),
      seen(5, 4, 'pot'),
    );
    expect(outline(session)).toEqual([
      'user: Boil.',
      'assistant: I look. t1:completed t2:completed',
    ]);
    expect(usagesOf(session)).toEqual([
      { input: 50, output: 9, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
    ]);
  });

  it('puts recalled texts before the model without a turn', () => {
    const recalled = event(3, {
      source: 'environment',
      observation: 'recall',
      cause: 2,
      content: 'Added context',
      extras: { repo_instructions: 'Use tea.', microagent_knowledge: [{ content: 'Tea is hot.' }] },
    });
    const recall = event(2, { source: 'user', action: 'recall', args: { query: 'tea' } });
    const session = read(prompt(1, 'Boil.'), recall, recalled, run(4, 'r', 't'));
    expect(outline(session)).toEqual([
      'user: Boil. (Use tea.\n\nTea is hot.)',
      'assistant: I look. t:running',
    ]);
  });

  it('keeps an error that no action caused as a text', () => {
    const error = event(3, { source: 'agent', observation: 'error', content: 'Bad command.' });
    const session = read(prompt(1, 'x'), run(2, 'r', 't'), error);
    expect(outline(session).at(-1)).toBe('assistant: I look. t:running (Bad command.)');
    expect(session.report.repaired).toEqual({ 'tool result kept as a text': 1 });
  });

  it('takes the instruction for a prompt that is not there', () => {
    expect(outline(read(run(2, 'r', 't')))).toEqual([
      'user: Boil it.',
      'assistant: I look. t:running',
    ]);
  });

  it('keep an argument under any name', () => {
    const args: unknown = JSON.parse('{ "command": "ls", "__proto__": "tea" }');
    const [call] = toolsOf(read({ action: 'run', args }));
    expect(JSON.stringify(call?.state.input)).toBe('{"command":"ls","__proto__":"tea"}');
  });

  it('may be old: flat actions without ids, sources and answers', () => {
    const old = [
      { action: 'run', args: { command: 'ls', thought: 'Look.' } },
      { observation: 'run', content: 'cup', extras: {} },
    ];
    const done = { action: 'message', args: { content: 'Done.' } };
    for (const history of [
      [...old, done],
      [old, [done]],
    ]) {
      const session = read(...history);
      expect(outline(session)).toEqual([
        'user: Boil it.',
        'assistant: Look. message-2-2-call:completed',
        'assistant: Done.',
      ]);
      expect(toolsOf(session)).toMatchObject([
        { tool: 'run', state: { input: { command: 'ls' } } },
      ]);
    }
  });

  it.each<[string, Fields, Fields]>([
    [
      'a range',
      { forgotten_events_start_id: 1, forgotten_events_end_id: 3, summary: 'A cup.' },
      { summary: 'A cup.', firstKeptMessageIndex: 2 },
    ],
    ['no result', { forgotten_event_ids: [2, 1] }, { firstKeptMessageIndex: 2 }],
    ['a list', { forgotten_event_ids: [3, 2] }, { firstKeptMessageIndex: 2 }],
    ['a list of nothing', { forgotten_event_ids: [] }, {}],
  ])('keeps a condensation aside that forgets %s', (_, args, expected) => {
    const condensation = event(6, { source: 'agent', action: 'condensation', args });
    const session = read(
      prompt(1, 'x'),
      run(2, 'r1', 't1'),
      seen(3, 2, 'cup'),
      run(4, 'r2', 't2'),
      seen(5, 4, 'pot'),
      condensation,
      run(7, 'r3', 't3'),
    );
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', trigger: 'auto', messageIndex: 3, ...expected },
    ]);
    expect(session.messages).toHaveLength(4);
  });

  it('holds no condensation that nothing precedes', () => {
    const condensation = event(1, { source: 'agent', action: 'condensation', args: {} });
    expect(read(condensation, prompt(2, 'x')).recordedCompactions).toEqual([]);
  });

  it('keeps what the model thought, and counts what it does not know', () => {
    const metadata = metadataOf('r', 't', { reasoning_content: 'Hm.', content: [{ text: 'So.' }] });
    const odd = event(3, { source: 'environment', action: 'dance', args: {} });
    const step = run(2, 'r', 't', { tool_call_metadata: metadata });
    const session = read(prompt(1, 'x'), step, odd, { kind: 'ActionEvent' });
    expect(session.messages[1]?.parts).toMatchObject([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'So.' },
      { type: 'tool' },
    ]);
    expect(session.report.dropped).toEqual({ 'unknown event': 2 });
  });
});

const FILE = 'openhands/multi_swe_bench-output.jsonl';
const FAILED = /"exit_code": ?[1-9]/g;
const REFUSED = /"content": ?"ERROR:\\n/g;

describe.skipIf(manifest.length === 0)(`recorded instances${note}`, () => {
  it('have a failed call for each command that ended with another code than 0, and for each refusal of an editor', () => {
    const lines = textOf(FILE).split('\n').filter(Boolean);
    const count = (pattern: RegExp) => lines.map((line) => line.match(pattern)?.length ?? 0);
    const codes = count(FAILED);
    const refusals = count(REFUSED);
    const failed = readOfManifest(FILE).map((session) =>
      toolsOf(session).filter(({ state }) => state.status === 'error'),
    );
    expect(codes).toEqual([5, 2, 12]);
    expect(refusals).toEqual([1, 11, 12]);
    const either = codes.map((code, index) => code + refusals[index]!);
    expect(failed.map(({ length }) => length)).toEqual(either);
  });
});
