import { describe, expect, it } from 'vitest';
import {
  createState,
  type LoopInput,
  type Message,
  policies,
  type PolicyName,
  transition,
} from '../../src/engine/index.ts';
import { final, LIMITS, refused, said, stepped, summarised } from '../support/script.ts';
import { testTools } from '../support/tools.ts';

const WRAPPED = 'u2*';

/** The prompts of each request, and of the last summary request; those in a reminder with a star. */
function promptsOf(name: PolicyName, inputs: readonly LoopInput[]) {
  const tools = testTools();
  let state = createState(policies[name], LIMITS);
  const sent: string[] = [];
  for (const input of inputs) {
    const next = transition(state, input, tools);
    state = next.state;
    for (const command of next.commands) {
      if (command.type === 'request') sent.push(told(command.view));
      if (command.type === 'summarise') sent.push(`summary of ${told(command.request.messages)}`);
    }
  }
  return sent;
}

function told(view: readonly Message[]): string {
  const texts = view.flatMap(({ role, parts }) =>
    role !== 'user' ? [] : parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  );
  return texts
    .map((text) => (text.startsWith('<system-reminder>') ? `${text.split('\n')[2]}*` : text))
    .join(' ');
}

describe('a prompt that waits while a turn is under way', () => {
  const interjected = [
    said('u1'),
    said('u2'),
    stepped('s1', 10),
    stepped('s2', 10),
    final('s3', 10),
    said('u3'),
  ];

  it('is sent once as a reminder in 1.15, and not where it begins a turn', () => {
    expect(promptsOf('opencode-1.15', interjected)).toEqual([
      'u1',
      `u1 ${WRAPPED}`,
      'u1 u2',
      'u1 u2 u3',
    ]);
  });

  it.each(['opencode-1.0.154', 'opencode-1.16'] as const)('is sent as it is in %s', (name) => {
    expect(promptsOf(name, interjected)).toEqual(['u1', 'u1 u2', 'u1 u2', 'u1 u2 u3']);
  });

  it('is a reminder also when it is sent again after a refusal, and none for the summarizer', () => {
    const again = [said('u1'), final('s1', 10), said('u2'), refused, summarised(), refused];
    expect(promptsOf('opencode-1.2.16', again)).toEqual([
      'u1',
      'u1 u2',
      'summary of u1',
      WRAPPED,
      'summary of u2',
    ]);
  });
});
