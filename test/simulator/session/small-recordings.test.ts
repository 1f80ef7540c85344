import { describe, expect, it } from 'vitest';
import type { FormatName } from '../../../src/simulator/session/formats.ts';
import { readSessions } from '../../../src/simulator/session/load.ts';
import type { Session } from '../../../src/simulator/session/session.ts';
import { describeSessionFormat } from '../../contracts/session-format.ts';
import { recording } from '../../support/session-files.ts';
import { outline } from './formats/claude-code-lines.ts';
import { toolsOf } from './tools-of.ts';

interface SmallRecording {
  readonly file: string;
  readonly format: FormatName;
  readonly model?: string;
  readonly system?: RegExp;
  /** Tools of the calls, in order. */
  readonly calls: readonly string[];
  /** Characters of the outputs, in order. */
  readonly outputs: readonly number[];
  /** Input, input from the cache, and output of each step. */
  readonly usages: readonly (readonly [number, number, number] | undefined)[];
  readonly repaired?: Readonly<Record<string, number>>;
}

/** Small recordings, each with what somebody who reads it finds. */
const recordings: readonly SmallRecording[] = [
  {
    file: 'cline-native.json',
    format: 'cline',
    model: 'anthropic/claude-sonnet-4-5',
    calls: ['search_files', 'read_file', 'read_file', 'replace_in_file', 'attempt_completion'],
    outputs: [42, 58, 63, 51],
    usages: [
      [10_049, 0, 240],
      [10_420, 0, 120],
      [10_700, 0, 60],
    ],
  },
  {
    file: 'cursor-cli.jsonl',
    format: 'cursor-cli',
    model: 'cursor/Claude 4 Sonnet',
    calls: ['read'],
    outputs: [4406],
    usages: [undefined, undefined],
  },
  {
    file: 'copilot-cli.jsonl',
    format: 'copilot-cli',
    model: 'github-copilot/claude-sonnet-4.6',
    system: /^You are a terminal assistant\./,
    calls: ['bash'],
    outputs: [9],
    usages: [
      [6482, 6382, 70],
      [6518, 6418, 12],
    ],
    repaired: { 'usage shared out among requests': 2 },
  },
  {
    file: 'anthropic-request.json',
    format: 'anthropic-messages',
    model: 'anthropic/claude-sonnet-4-5',
    system: /^You are a coding agent\.$/,
    calls: ['bash'],
    outputs: [9],
    usages: [undefined, undefined],
  },
  {
    file: 'codex-exec.jsonl',
    format: 'codex-exec',
    calls: ['shell'],
    outputs: [14],
    usages: [
      [157, 12_175, 95],
      [158, 12_273, 27],
    ],
    repaired: { 'prompt that was not recorded': 1, 'usage shared out among requests': 2 },
  },
  {
    file: 'kimi-context.jsonl',
    format: 'kimi-cli',
    calls: ['Shell'],
    outputs: [4],
    usages: [
      [5000, 0, 0],
      [5100, 0, 0],
    ],
  },
  {
    file: 'gemini-contents.json',
    format: 'gemini-contents',
    calls: ['bash'],
    outputs: [4],
    usages: [undefined, undefined],
  },
  {
    file: 'continue.json',
    format: 'continue',
    model: 'unknown/gpt-5',
    system: /^You are a kitchen aid\.$/,
    calls: ['Bash'],
    outputs: [17],
    usages: [
      [4000, 8000, 40],
      [100, 12_000, 9],
    ],
  },
  {
    file: 'gemini-stream.jsonl',
    format: 'gemini-stream',
    model: 'google/gemini-2.5-pro',
    calls: ['run_shell_command'],
    outputs: [17],
    usages: [
      [2000, 8000, 40],
      [100, 10_000, 9],
    ],
  },
  {
    file: 'nanocoder.json',
    format: 'nanocoder',
    model: 'openrouter/kettle-1',
    calls: ['execute_bash'],
    outputs: [17],
    usages: [undefined, undefined],
  },
  {
    file: 'langchain.json',
    format: 'langchain',
    model: 'anthropic/claude-sonnet-4-5',
    system: /^You are a kitchen aid\.$/,
    calls: ['shell'],
    outputs: [17],
    usages: [
      [500, 4000, 40],
      [5100, 0, 8],
    ],
  },
  {
    file: 'inspect-ai.json',
    format: 'inspect-ai',
    model: 'openai/gpt-4o',
    system: /^You are a kitchen aid\.$/,
    calls: ['bash'],
    outputs: [17],
    usages: [
      [1000, 4000, 25],
      [900, 0, 8],
    ],
  },
  {
    file: 'cline-ui.json',
    format: 'cline-ui',
    model: 'anthropic/claude-sonnet-4-5',
    calls: ['execute_command'],
    outputs: [17],
    usages: [
      [100, 5000, 20],
      [900, 0, 8],
    ],
  },
];

for (const { file, format: name } of recordings) {
  describeSessionFormat({ name, text: recording(file) });
}

describe('a small recording', () => {
  it.each(recordings.map((each) => [each.file, each] as const))(
    '%s is one session with the right calls, outputs and usage',
    (file, { format, model, system, calls, outputs, usages, repaired = {} }) => {
      const [session, ...others] = readSessions(file, recording(file));
      expect(others).toEqual([]);
      expect([session?.format, session?.model]).toEqual([format, model]);
      expect(session?.system ?? '').toMatch(system ?? /^$/);
      expect(toolsOf(session!).map(({ tool }) => tool)).toEqual(calls);
      expect(outputsOf(session!).map((output) => output.length)).toEqual(outputs);
      expect(kindsOf(session!)).toEqual(usages);
      expect(session?.report).toEqual({ dropped: {}, repaired });
    },
  );

  it('of Cline keeps the state of the editor apart from outputs', () => {
    const [session] = readSessions('x', recording('cline-native.json'));
    expect(outputsOf(session!).join()).not.toContain('environment_details');
    expect(outline(session!)[0]).toMatch(/^user: <task>[^(]*\(<environment_details>/);
  });
});

function outputsOf(session: Session): readonly string[] {
  return toolsOf(session).flatMap(({ state }) =>
    state.status === 'completed' ? state.output : [],
  );
}

function kindsOf(session: Session) {
  return session.messages.flatMap((message) => {
    if (message.role === 'user') return [];
    const { usage } = message;
    return [usage && [usage.input, usage.cacheRead, usage.output]];
  });
}
