import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestMessage } from '../../../../src/simulator/provider/checks/check.ts';
import { type CheckName, checks } from '../../../../src/simulator/provider/checks/checks.ts';
import { assistant, faultFor, reasoning, system, text, user, validRequests } from './requests.ts';

const names = Object.keys(checks) as CheckName[];

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
