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

/** Requests by the check that they are held against, each with its fault; without one where there is none. */
const CASES: Readonly<
  Record<CheckName, readonly [messages: readonly RequestMessage[], fault?: string][]>
> = {
  'calls-paired': [
    [[]],
    [[hello, assistant(call('a')), tool(result('a')), answer]],
    [[assistant(call('a'), call('b')), tool(result('b'), result('a'))]],
    [[assistant(call('a'), call('b')), tool(result('b')), tool(result('a'))]],
    [[assistant(call('a')), tool(result('a')), assistant(call('a')), tool(result('a'))]],
    [[hello, tool(result('a'))], "Message 1 has a result for 'a', which no open call has."],
    [
      [tool(result('a')), assistant(call('a'))],
      "Message 0 has a result for 'a', which no open call has.",
    ],
    [
      [assistant(call('a')), tool(result('a'), result('a'))],
      "Message 1 has a result for 'a', which no open call has.",
    ],
    [
      [assistant(call('a')), hello, tool(result('a'))],
      "Message 1 comes before the result for 'a'.",
    ],
    [
      [assistant(call('a'), call('b'), call('c')), answer],
      "Message 1 comes before the result for 'a' and 2 more.",
    ],
    [
      [assistant(call('a'), call('b')), tool(result('a'))],
      "The request ends without the result for 'b'.",
    ],
    [
      [tool(result('\u001b[2J'))],
      "Message 0 has a result for '\\u001b[2J', which no open call has.",
    ],
  ],
  'ids-unique': [
    [[assistant(call('a')), tool(result('a')), assistant(call('b'))]],
    [
      [assistant(call('a')), tool(result('a')), assistant(call('a'))],
      "Message 2 has another call 'a'.",
    ],
    [[assistant(call('a'), call('a'))], "Message 0 has another call 'a'."],
    [
      [tool(result('a')), hello, tool(result('b'), result('a'))],
      "Message 2 has another result for 'a'.",
    ],
    [[assistant(call('__proto__'))]],
  ],
  'roles-alternate': [
    [[system, hello, answer, hello]],
    [[hello, assistant(text('x'), call('a')), tool(result('a')), tool(), answer]],
    [[hello, assistant(call('a')), tool(result('a')), assistant(call('b')), tool(), answer, hello]],
    [[answer], 'Message 0 has the role assistant at the start.'],
    [[system, tool()], 'Message 1 has the role tool at the start.'],
    [[hello, hello], 'Message 1 has the role user after a user message.'],
    [[hello, tool()], 'Message 1 has the role tool after a user message.'],
    [
      [hello, answer, answer],
      'Message 2 has the role assistant after an assistant message without calls.',
    ],
    [
      [hello, answer, tool()],
      'Message 2 has the role tool after an assistant message without calls.',
    ],
    [
      [hello, assistant(call('a')), answer],
      'Message 2 has the role assistant after an assistant message with calls.',
    ],
    [
      [hello, assistant(call('a')), hello],
      'Message 2 has the role user after an assistant message with calls.',
    ],
    [
      [hello, assistant(call('a')), tool(), hello],
      'Message 3 has the role user after a tool message.',
    ],
  ],
  'system-first': [
    [[system, hello, answer]],
    [[hello, answer]],
    [[system, system], 'Message 1 is a system message, but not the first message.'],
    [[hello, system], 'Message 1 is a system message, but not the first message.'],
  ],
  'user-first': [
    [[hello, answer]],
    [[system, system, hello]],
    [
      [system, answer, hello],
      'Message 1 has the role assistant, but no user message is before it.',
    ],
    [[tool(), hello], 'Message 0 has the role tool, but no user message is before it.'],
    [[system], 'The request ends without a user message.'],
    [[], 'The request ends without a user message.'],
  ],
  'reasoning-followed': [
    [[assistant(reasoning('so'), text('x'))]],
    [[assistant(reasoning('so'), reasoning('so'), call('a'))]],
    [[assistant()]],
    [[assistant(reasoning('so'))], 'Message 0 ends with reasoning that nothing follows.'],
    [
      [hello, assistant(text('x'), reasoning('so')), answer],
      'Message 1 ends with reasoning that nothing follows.',
    ],
  ],
  'text-well-formed': [
    [[user(text('a😀b')), assistant(reasoning('\uFFFD'))]],
    [[user(text('a')), assistant(call('a', null))]],
    [[user(text('a\uD83D'))], 'Message 0 has text with a lone surrogate.'],
    [[user(text('a'), text('a\uD83D'), text('b'))], 'Message 0 has text with a lone surrogate.'],
    [[hello, assistant(reasoning('\uDE00b'))], 'Message 1 has text with a lone surrogate.'],
    [[tool(result('a', '\uDE00\uD83D'))], 'Message 0 has text with a lone surrogate.'],
    [
      [assistant(call('a', { deep: [{ path: 'x\uD83D' }] }))],
      'Message 0 has text with a lone surrogate.',
    ],
    [
      [assistant(call('a', { 'x\uD83D': null, y: 1 }))],
      'Message 0 has text with a lone surrogate.',
    ],
  ],
  'text-not-empty': [
    [[hello, assistant(text('\n'), call('a')), tool(result('a', ''))]],
    [[assistant(), assistant(text(' '), text('x'))]],
    [[assistant(reasoning(''), text('x'))]],
    [[hello, assistant(text(''), call('a'))], 'Message 1 has an empty text.'],
    [[user(text('x'), text(''))], 'Message 0 has an empty text.'],
    [[assistant(text(' '), text('\n'))], 'Message 0 has only blank text.'],
    [[user()], 'Message 0 has no content.'],
  ],
};

describe('checks', () => {
  it.each(names)('%s', (name) => {
    const faults = CASES[name].map(([messages]) => faultFor(name, messages));
    expect(faults).toEqual(CASES[name].map(([, fault]) => fault));
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

/** What makes a request faulty: the message, and which check must find fault there or later. */
interface Planted {
  readonly messages: readonly RequestMessage[];
  readonly at: number;
}

/** A place in a request, by the role of the message there; each request has all but a system message. */
function placeOf(messages: readonly RequestMessage[], role: string, seed: number): number {
  const places = messages.flatMap((message, index) => (message.role === role ? [index] : []));
  return places[seed % places.length]!;
}

function replaceAt(
  messages: readonly RequestMessage[],
  at: number,
  ...replacement: RequestMessage[]
): Planted {
  return { messages: messages.toSpliced(at, 1, ...replacement), at };
}

const plants: Record<CheckName, (messages: readonly RequestMessage[], seed: number) => Planted> = {
  'calls-paired': (messages, seed) => replaceAt(messages, placeOf(messages, 'tool', seed)),
  'ids-unique': (messages, seed) => {
    const at = placeOf(messages, 'tool', seed);
    return replaceAt(messages, at, messages[at]!, messages[at - 1]!, messages[at]!);
  },
  'roles-alternate': (messages, seed) => {
    const at = placeOf(messages, 'user', seed);
    return replaceAt(messages, at, messages[at]!, messages[at]!);
  },
  'system-first': (messages, seed) => {
    const at = placeOf(messages, 'user', seed);
    return replaceAt(messages, at, messages[at]!, system);
  },
  'user-first': (messages) => replaceAt(messages, placeOf(messages, 'user', 0)),
  'reasoning-followed': (messages, seed) => {
    const at = placeOf(messages, 'assistant', seed);
    return replaceAt(messages, at, assistant(...messages[at]!.content, reasoning('so')));
  },
  'text-well-formed': (messages, seed) => {
    const at = placeOf(messages, 'user', seed);
    return replaceAt(messages, at, user(text('😀'.slice(seed % 2, (seed % 2) + 1))));
  },
  'text-not-empty': (messages, seed) => {
    const at = placeOf(messages, 'assistant', seed);
    return replaceAt(messages, at, assistant(text(''), ...messages[at]!.content));
  },
};

describe('a planted fault', () => {
  it('is found by its check, and at its place', () => {
    fc.assert(
      fc.property(validRequests, fc.nat(), fc.constantFrom(...names), (valid, seed, name) => {
        const { messages, at } = plants[name](valid, seed);
        const fault = faultFor(name, messages);
        expect(fault).toMatch(/^Message \d+ /);
        const offsets: Partial<Record<CheckName, number>> = {
          'ids-unique': 1,
          'roles-alternate': 1,
          'system-first': 1,
        };
        expect(Number(/\d+/.exec(fault ?? '')?.[0])).toBe(at + (offsets[name] ?? 0));
      }),
    );
  });
});
