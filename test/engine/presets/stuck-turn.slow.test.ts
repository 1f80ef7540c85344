import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALL_GUARDS,
  createState,
  type Limits,
  type LoopInput,
  policies,
  type Policy,
  resolvePolicy,
  transition,
} from '../../../src/engine/index.ts';
import { frozen } from '../../../src/engine/values.ts';
import { step, text, usage, user } from '../../support/history.ts';
import { limits } from '../../support/sessions.ts';
import { tinyPresets } from '../../support/small-presets.ts';
import { testTools } from '../../support/tools.ts';

/** More inputs than any run without a loop needs. */
const TOO_MANY = 200;
/** Three refills, with a reminder or a smaller request for each, and the failures that a breaker lets pass. */
const MOST_COMPACTIONS = 24;

/** How a host answers each command, round and round. */
type Host = readonly ('over' | 'refused' | 'failed' | 'empty' | 'good')[];
const hosts: fc.Arbitrary<Host> = fc.array(
  fc.constantFrom('over', 'over', 'refused', 'failed', 'empty', 'good', 'good'),
  { minLength: 1, maxLength: 8 },
);
/** Windows that every step of 5,000 tokens is over. */
const narrow = limits.filter(({ contextTokens }) => contextTokens > 0);
const error = { name: 'ContextOverflowError', message: 'too long' };

/** Compactions that a policy asks for within one turn in which nothing ever gets better. */
function compactionsIn(policy: Policy, first: Limits, host: Host): number {
  const tools = testTools();
  let next = transition(frozen(createState(policy, first)), prompt, tools);
  let compactions = 0;
  for (let round = 0; round < TOO_MANY; round += 1) {
    const [command] = next.commands;
    if (command === undefined || command.type === 'stop') return compactions;
    if (command.type === 'summarise') compactions += 1;
    const input = answer(command.type, host[round % host.length]!, `s${round}`);
    next = transition(frozen(next.state), input, tools);
  }
  return compactions;
}

const prompt: LoopInput = { type: 'user-message', message: user('u1', 'x'.repeat(40)) };

function answer(command: 'request' | 'summarise', word: Host[number], id: string): LoopInput {
  if (command === 'summarise') {
    if (word === 'failed' || word === 'refused')
      return { type: 'summary-failed', error, isOverflow: word === 'refused' };
    const result = { text: word === 'empty' ? '' : '## Goal\n## Objective\nAll.', finish: 'stop' };
    return { type: 'summary-finished', result };
  }
  if (word === 'refused') return { type: 'step-refused', error };
  const parts = [text(`${id}-0`, 'y'.repeat(400))];
  const reported = usage({ input: 5_000 });
  return {
    type: 'step-finished',
    message: step(id, parts, { finish: 'tool-calls', usage: reported }),
  };
}

/**
 * Their turns go on without a summary, or ask for two, so that the breaker does not end them; how long they may go on is not
 * held here yet.
 */
const GOING_ON = /^(?:cline|codex-local-0|continue-cli|pi-(?:0\.8|1\.6)|qwen-code)/;
const stopping = tinyPresets.filter(({ name }) => name === 'cline-classic' || !GOING_ON.test(name));

describe('a turn in which nothing gets better', () => {
  it.each(stopping.map((policy) => [policy.name, policy] as const))(
    'ends after a few compactions with all guards: %s',
    (_, policy) => {
      const guarded = resolvePolicy(policy, {
        guards: { ...ALL_GUARDS, ignoreImplausibleUsage: false, stopIrreducible: false },
      });
      fc.assert(
        fc.property(narrow, hosts, (first, host) => {
          expect(compactionsIn(guarded, first, host)).toBeLessThanOrEqual(MOST_COMPACTIONS);
        }),
        { numRuns: 100 },
      );
    },
  );

  it('goes on for ever without guards, in releases that know none', () => {
    const { 'opencode-1.18': unguarded } = policies;
    expect(compactionsIn(unguarded, { contextTokens: 150 }, ['good'])).toBe(TOO_MANY / 2);
  });
});
