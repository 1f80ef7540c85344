import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CheckName,
  checks,
  createChecker,
  type RequestChecker,
  type RequestMessage,
} from '../../../src/simulator/provider/checks.ts';
import {
  assistant,
  call,
  faultFor,
  faultOf,
  reasoning,
  result,
  system,
  text,
  tool,
  user,
  validRequests,
} from './requests.ts';

const names = Object.keys(checks) as CheckName[];
const hello = user(text('hello'));
const answer = assistant(text('hi'));

/** Requests by the check that they are held against. */
const CASES: Readonly<Record<CheckName, readonly (readonly RequestMessage[])[]>> = {
  'calls-paired': [
    [],
    [hello, assistant(call('a')), tool(result('a')), answer],
    [assistant(call('a'), call('b')), tool(result('b'), result('a'))],
    [assistant(call('a'), call('b')), tool(result('b')), tool(result('a'))],
    [assistant(call('a')), tool(result('a')), assistant(call('a')), tool(result('a'))],
    [hello, tool(result('a'))],
    [tool(result('a')), assistant(call('a'))],
    [assistant(call('a')), tool(result('a'), result('a'))],
    [assistant(call('a')), hello, tool(result('a'))],
    [assistant(call('a'), call('b'), call('c')), answer],
    [assistant(call('a'), call('b')), tool(result('a'))],
    [tool(result('\u001b[2J'))],
  ],
  'ids-unique': [
    [assistant(call('a')), tool(result('a')), assistant(call('b'))],
    [assistant(call('a')), tool(result('a')), assistant(call('a'))],
    [assistant(call('a'), call('a'))],
    [tool(result('a')), hello, tool(result('b'), result('a'))],
    [assistant(call('__proto__'))],
  ],
  'roles-alternate': [
    [system, hello, answer, hello],
    [hello, assistant(text('x'), call('a')), tool(result('a')), tool(), answer],
    [hello, assistant(call('a')), tool(result('a')), assistant(call('b')), tool(), answer, hello],
    [answer],
    [system, tool()],
    [hello, hello],
    [hello, tool()],
    [hello, answer, answer],
    [hello, answer, tool()],
    [hello, assistant(call('a')), answer],
    [hello, assistant(call('a')), hello],
    [hello, assistant(call('a')), tool(), hello],
  ],
  'system-first': [
    [system, hello, answer],
    [hello, answer],
    [system, system],
    [hello, system],
  ],
  'user-first': [
    [hello, answer],
    [system, system, hello],
    [system, answer, hello],
    [tool(), hello],
    [system],
    [],
  ],
  'reasoning-followed': [
    [assistant(reasoning('so'), text('x'))],
    [assistant(reasoning('so'), reasoning('so'), call('a'))],
    [assistant()],
    [assistant(reasoning('so'))],
    [hello, assistant(text('x'), reasoning('so')), answer],
  ],
  'text-well-formed': [
    [user(text('a😀b')), assistant(reasoning('\uFFFD'))],
    [user(text('a')), assistant(call('a', null))],
    [user(text('a\uD83D'))],
    [user(text('a'), text('a\uD83D'), text('b'))],
    [hello, assistant(reasoning('\uDE00b'))],
    [tool(result('a', '\uDE00\uD83D'))],
    [assistant(call('a', { deep: [{ path: 'x\uD83D' }] }))],
    [assistant(call('a', { 'x\uD83D': null, y: 1 }))],
  ],
  'text-not-empty': [
    [hello, assistant(text('\n'), call('a')), tool(result('a', ''))],
    [assistant(), assistant(text(' '), text('x'))],
    [assistant(reasoning(''), text('x'))],
    [hello, assistant(text(''), call('a'))],
    [user(text('x'), text(''))],
    [assistant(text(' '), text('\n'))],
    [user()],
  ],
};

/** A request in short: roles, and what each message holds. */
function outline(messages: readonly RequestMessage[]): string {
  const shown = messages.map(({ role, content }) => {
    const parts = content.map(({ type, ...part }) =>
      'callId' in part
        ? `${type} ${JSON.stringify(part.callId)}`
        : `${type} ${JSON.stringify(part)}`,
    );
    return [role, ...parts].join(' ');
  });
  return `- ${shown.join(' | ') || 'nothing'}`;
}

describe('checks', () => {
  it('find fault with what each demands, and with nothing else', async () => {
    const told = names.map((name) => {
      const faults = CASES[name].map(
        (messages) => `${outline(messages)}\n  ${faultFor(name, messages) ?? '–'}`,
      );
      return [`${name}:`, ...faults, ''].join('\n');
    });
    await expect(told.join('\n')).toMatchFileSnapshot('../../fixtures/snapshots/checks.txt');
  });

  it('look into an input of any depth', () => {
    let input: unknown = '\uD83D';
    for (let depth = 0; depth < 20_000; depth++) input = [input];
    expect(faultFor('text-well-formed', [assistant(call('a', input))])).toBeDefined();
  });

  it('find no fault with a request of whole turns', () => {
    fc.assert(
      fc.property(validRequests, (messages) => {
        expect(faultOf(createChecker(names), messages)).toBeUndefined();
      }),
    );
  });
});

const faulty = [answer, user(text('')), assistant(text(''), reasoning('so'))];

function lastFault(order: readonly CheckName[]): string | undefined {
  const checker = createChecker(order);
  return faulty.map((message) => checker.next(message)).at(-1);
}

describe('createChecker', () => {
  it('tells of the check named first where a message has several faults', () => {
    expect(lastFault(['text-not-empty', 'reasoning-followed'])).toBe(
      'Message 2 has an empty text.',
    );
    expect(lastFault(['reasoning-followed', 'text-not-empty'])).toBe(
      'Message 2 ends with reasoning that nothing follows.',
    );
  });

  it('shows every message to every check, also after a fault', () => {
    const checker = createChecker(['user-first', 'ids-unique']);
    expect(checker.next(assistant(call('a')))).toContain('no user message');
    expect(checker.next(assistant(call('a')))).toBe("Message 1 has another call 'a'.");
  });

  it('is after a message that was taken back as before it', () => {
    const added = [system, hello, assistant(call('0-0-0')), tool(result('0-0-0'))];
    fc.assert(
      fc.property(validRequests, fc.nat({ max: 30 }), (messages, at) => {
        for (const name of names) {
          const checker = createChecker([name]);
          for (const message of messages) checker.next(message);
          for (const message of messages.slice(at).toReversed()) checker.back(message);
          const fresh = createChecker([name]);
          for (const message of messages.slice(0, at)) fresh.next(message);
          // Which of several open calls is named may differ.
          const hasFaults = (each: RequestChecker) =>
            [each.end(), ...added.map((message) => each.next(message))].map(Boolean);
          expect(hasFaults(checker)).toEqual(hasFaults(fresh));
        }
      }),
    );
  });

  it('has no end that changes what follows', () => {
    const checker = createChecker(['calls-paired', 'user-first']);
    expect(checker.end()).toBe('The request ends without a user message.');
    checker.next(hello);
    checker.next(assistant(call('a')));
    expect(checker.end()).toBe("The request ends without the result for 'a'.");
    expect(checker.next(tool(result('a')))).toBeUndefined();
    expect(checker.end()).toBeUndefined();
  });

  it('finds nothing without checks', () => {
    expect(faultOf(createChecker([]), faulty)).toBeUndefined();
  });
});
