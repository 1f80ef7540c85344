import { describe, expect, it } from 'vitest';
import { createSourceFile } from '../../../../src/simulator/session/files/source-file.ts';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { outline } from './claude-code-lines.ts';
import { toolsOf, usagesOf } from '../tools-of.ts';
import { surestMatches } from '../../../support/session-matches.ts';

type Fields = Readonly<Record<string, unknown>>;

const SUBMIT = 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT';
const system = { role: 'system', content: `Write one block. When done: echo ${SUBMIT}` };
const user = (content: string, over: Fields = {}) => ({ role: 'user', content, ...over });
const say = (content: string, over: Fields = {}) => ({ role: 'assistant', content, ...over });
const run = (text: string, command: string, language = 'bash') =>
  say(`${text}\n\n\`\`\`${language}\n${command}\n\`\`\``);
const output = (text: string) => user(`<returncode>0</returncode>\n<output>\n${text}\n</output>`);
const call = (id: string, extra: Fields = {}) =>
  say('I look.', {
    tool_calls: [{ id, function: { name: 'bash', arguments: '{"command":"ls"}' } }],
    extra: { timestamp: 1_700_000_000.5, ...extra },
  });
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
const usage = {
  prompt_tokens: 100,
  completion_tokens: 30,
  prompt_tokens_details: { cached_tokens: 64 },
  completion_tokens_details: { reasoning_tokens: 10 },
};

const readText = (text: string): Session => readSessions('kettle.json', text)[0]!;
const read = (...messages: readonly Fields[]) => readText(JSON.stringify(messages));
const wrapped = (...messages: readonly Fields[]) =>
  JSON.stringify({
    info: { mini_version: '2' },
    messages,
    trajectory_format: 'mini-swe-agent-1.1',
  });
const readWrapped = (...messages: readonly Fields[]) => readText(wrapped(...messages));

describeSessionFormat({
  name: 'mini-swe-agent',
  text: wrapped(user('Go.'), call('c1', { response: { model: 'm', usage } }), result('c1', 'cup')),
});
describeSessionFormat({
  name: 'mini-swe-agent',
  text: JSON.stringify([system, user('Go.'), run('Look.', 'ls'), output('cup'), say('Done.')]),
});

it.each([
  [{ instance_cost: 0.25 }, 0.25],
  [{ instance_cost: 0 }, undefined],
  [{}, undefined],
])('takes its own cost of %j for %s dollars', (stats, dollars) => {
  const messages = [user('Go.'), call('c1', { response: { model: 'm', usage } })];
  const info = { mini_version: '2', model_stats: stats };
  const run = { info, messages, trajectory_format: 'mini-swe-agent-1.1' };
  expect(readText(JSON.stringify(run)).ownCostUsd).toBe(dollars);
});

describe('a bare list', () => {
  const claims = (...messages: readonly Fields[]) => {
    const file = createSourceFile('x', JSON.stringify(messages));
    return surestMatches(file);
  };
  const plain = { role: 'system', content: 'Be brief.' };

  it.each<[string, readonly string[], readonly Fields[]]>([
    ['a task that tells how to end', ['mini-swe-agent'], [system, user('x'), run('a', 'ls')]],
    [
      'outputs with a return code',
      ['mini-swe-agent'],
      [plain, user('x'), run('a', 'ls'), output('y')],
    ],
    ['a block that a chat shows', ['openai-chat'], [plain, user('x'), run('a', 'ls'), user('y')]],
    ['a mark without commands', ['openai-chat'], [system, user('x'), say('a')]],
    ['a call in its place', ['openai-chat'], [system, user('x'), run('a', 'ls'), call('c')]],
    ['no system prompt', ['openai-chat'], [user(SUBMIT), run('a', 'ls'), output('y')]],
    [
      'calls of functions',
      ['openai-chat'],
      [system, user('x'), run('a', 'ls'), call('c'), result('c', 'y')],
    ],
  ])('with %s is of %s', (_, names, messages) => {
    expect(claims(...messages)).toEqual(names);
  });

  it('takes what a user brings for the output of a command', () => {
    const session = read(system, user('x'), run('Look.', 'ls'), output('cup'));
    expect(outline(session)).toEqual(['user: x', 'assistant: Look. message-2-2-call:completed']);
    expect(toolsOf(session)).toMatchObject([
      { tool: 'bash', state: { input: { command: 'ls' }, output: output('cup').content } },
    ]);
    expect(session.system).toBe(system.content);
    expect(session.isOutputFinal).toBe(false);
  });

  it('keeps an output that is empty', () => {
    const session = read(system, user('x'), run('', 'ls', 'mswea_bash_command'), user(''));
    expect(toolsOf(session)).toMatchObject([{ state: { status: 'completed', output: '' } }]);
    expect(session.messages[1]?.parts).toHaveLength(1);
  });

  it('runs nothing of a text with several blocks', () => {
    const two = say('```bash\nls\n```\n```bash\npwd\n```');
    const session = read(system, user('x'), two, user('One only!'), run('Ah.', 'ls'));
    expect(toolsOf(session)).toHaveLength(1);
    expect(session.messages[1]?.parts.at(-1)).toMatchObject({ text: 'One only!', synthetic: true });
  });
});

describe('a document', () => {
  it('pairs calls by id and knows what each step counted', () => {
    const extra = { response: { model: 'kettle-1', usage } };
    const session = readWrapped(user('x'), call('c', extra), result('c', 'cup'), call('d'));
    expect(toolsOf(session)).toMatchObject([
      { callId: 'c', state: { input: { command: 'ls' }, output: 'cup' } },
      { callId: 'd', state: { status: 'running' } },
    ]);
    expect(usagesOf(session)).toEqual([
      { input: 36, output: 20, reasoning: 10, cacheRead: 64, cacheWrite: 0 },
      undefined,
    ]);
    expect(session).toMatchObject({ model: 'unknown/kettle-1', isOutputFinal: true });
    expect(session.messages[1]?.createdAt).toBe(1_700_000_000_500);
  });

  it('leaves out the note about its end, and counts what it cannot read', () => {
    const session = readWrapped(user('x'), say('a'), { role: 'exit', content: 'b' }, { object: 1 });
    expect(outline(session)).toEqual(['user: x', 'assistant: a']);
    expect(session.report.dropped).toEqual({ 'message without a role': 1 });
  });

  it('is refused without messages', () => {
    expect(() => readWrapped()).toThrow(/got a run without messages\.$/);
  });
});
