import { describe, expect, it } from 'vitest';
import {
  type Command,
  createState,
  type Hooks,
  instructions,
  policies,
  type PolicyName,
  transition,
} from '../../src/engine/index.ts';
import { step, usage, user } from '../support/history.ts';
import { testTools } from '../support/tools.ts';

const LIMITS = { contextTokens: 100_000, outputTokens: 8_000 };
const SUMMARY = { text: '## Objective\nMend it.\n## Goal\nMend it.', finish: 'stop' };

/** What the shell is told while a session overflows and is summarised. */
function commandsWith(hooks: Hooks, name: PolicyName): readonly Command[] {
  const tools = { ...testTools(), hooks };
  let state = createState(policies[name], LIMITS);
  const commands: Command[] = [];
  const send = (input: Parameters<typeof transition>[1]) => {
    const next = transition(state, input, tools);
    state = next.state;
    commands.push(...next.commands);
  };
  send({ type: 'user-message', message: user('u1') });
  const over = { usage: usage({ input: 99_000 }), finish: 'tool-calls' };
  send({ type: 'step-finished', message: step('s1', [], over) });
  send({ type: 'summary-finished', result: SUMMARY });
  return commands;
}

function promptWith(hooks: Hooks): string {
  const asked = commandsWith(hooks, 'opencode-1.2.16').find(({ type }) => type === 'summarise');
  return asked?.type === 'summarise' ? asked.request.prompt : '';
}

describe('the hook before a summary', () => {
  const instruction = instructions['v1.1.57'];

  it('adds context after the instruction', () => {
    const prompt = promptWith({
      compacting: () => ({ context: ['On branch main.', 'Be brief.'] }),
    });
    expect(prompt).toBe(`${instruction}\n\nOn branch main.\n\nBe brief.`);
  });

  it('replaces the instruction, and what it adds is lost then', () => {
    const prompt = promptWith({
      compacting: () => ({ context: ['x'], prompt: 'Just the facts.' }),
    });
    expect(prompt).toBe('Just the facts.');
  });

  it('sees the request that it may change', () => {
    let seen = '';
    promptWith({
      compacting: ({ prompt }) => {
        seen = prompt;
        return {};
      },
    });
    expect(seen).toBe(instruction);
  });
});

describe('the hook after a summary', () => {
  it.each<[PolicyName, string, string]>([
    ['opencode-1.2.16', 'request', 'stop'],
    ['opencode-2.0', 'request', 'stop'],
  ])('keeps %s from going on by itself', (name, without, vetoed) => {
    expect(commandsWith({}, name).at(-1)?.type).toBe(without);
    expect(commandsWith({ autoContinue: () => true }, name).at(-1)?.type).toBe(without);
    expect(commandsWith({ autoContinue: () => false }, name).at(-1)?.type).toBe(vetoed);
  });

  it.each<PolicyName>(['opencode-1.2.16', 'opencode-2.0'])('is asked once: %s', (name) => {
    let asked = 0;
    commandsWith({ autoContinue: () => ++asked > 0 }, name);
    expect(asked).toBe(1);
  });
});
