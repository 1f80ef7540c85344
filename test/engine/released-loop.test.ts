import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Command,
  createState,
  type LoopInput,
  type Policy,
  type PolicyName,
  policies,
  resolvePolicy,
  transition,
} from '../../src/engine/index.ts';
import { namesOf } from '../support/drive.ts';
import { step, text, usage } from '../support/history.ts';
import { type Release, type Released, take } from '../support/released-loop.ts';
import {
  aborted,
  compact,
  refused,
  said,
  stepped,
  summaryFailed,
  summaryOverflowed,
} from '../support/script.ts';
import { testTools } from '../support/tools.ts';

const LIMITS = { contextTokens: 100, outputTokens: 20 };
const RUNS = 100;
/** Times that each case is reached in the runs of one release, at least. */
const REACHED = 3;

const from10224: Release = {
  shows: 'from-marker',
  acceptsErrors: true,
  turns: 0,
  splits: false,
  newestBy: 'position',
  onRefusal: 'stop',
  hidesPivots: false,
  checksSummaries: true,
};
const from1216: Release = {
  ...from10224,
  acceptsErrors: false,
  onRefusal: 'compact',
  checksSummaries: false,
};
const from11419: Release = { ...from1216, shows: 'from-tail', turns: 2 };
const from11421: Release = { ...from11419, splits: true, hidesPivots: true };
const from11440: Release = { ...from11421, shows: 'tail-last' };
const from11451: Release = { ...from11440, newestBy: 'time' };
const from116: Release = { ...from11451, onRefusal: 'compact-if-auto' };

const releases: readonly (readonly [PolicyName, Release])[] = [
  ['opencode-1.0.224', from10224],
  ['opencode-1.1.23', from10224],
  ['opencode-1.1.57', from10224],
  ['opencode-1.2.16', from1216],
  ['opencode-1.14.19', from11419],
  ['opencode-1.14.21', from11421],
  ['opencode-1.14.40', from11440],
  ['opencode-1.15', from11451],
  ['opencode-1.16', from116],
  ['opencode-1.18', from116],
];

/** What may happen next; which of it does depends on what is being waited for. */
interface Move {
  readonly does: number;
  readonly tokens: number;
  readonly chars: number;
  readonly finish: string | undefined;
}

const moves = fc.array(
  fc.record<Move>({
    does: fc.nat({ max: 99 }),
    tokens: fc.nat({ max: 110 }),
    chars: fc.nat({ max: 300 }),
    finish: fc.constantFrom(
      'stop',
      'stop',
      'tool-calls',
      'tool-calls',
      'unknown',
      'length',
      undefined,
    ),
  }),
  { minLength: 12, maxLength: 30 },
);
const settings = fc.record({
  auto: fc.constantFrom(true, true, true, false),
  tailTokens: fc.constantFrom(0, 30, 60, 120, 400),
});

describe('the loop of a release', () => {
  it.each(releases)('goes as it was written down apart: %s', (name, release) => {
    const reached = new Map<string, number>();
    fc.assert(
      fc.property(moves, settings, (session, { auto, tailTokens }) => {
        const base = resolvePolicy(policies[name], { trigger: { auto } });
        const policy =
          base.cut.keep === 'recent-turns'
            ? { ...base, cut: { ...base.cut, tokens: tailTokens } }
            : base;
        for (const line of play(policy, release, session)) {
          for (const word of new Set(line.split(' ')))
            reached.set(word, (reached.get(word) ?? 0) + 1);
        }
      }),
      { numRuns: RUNS },
    );
    const rare = release.onRefusal === 'stop' ? ['continue'] : ['continue', 'replay'];
    for (const word of ['failed-summary', 'summarise', 'stop', ...rare]) {
      expect([word, reached.get(word)]).toEqual([
        word,
        expect.toSatisfy((times) => times >= REACHED),
      ]);
    }
  });
});

/** Plays a session in both, and gives what both said. */
function play(policy: Policy, release: Release, session: readonly Move[]): readonly string[] {
  const apart: Released = { policy, release, limits: LIMITS, history: [], lines: [] };
  const tools = testTools();
  let state = createState(policy, LIMITS);
  return session.flatMap((move, index) => {
    const input = inputFor(apart, move, index);
    const next = transition(state, input, tools);
    state = next.state;
    const lines = take(apart, input);
    expect(next.commands.map(lineOf)).toEqual(lines);
    return lines;
  });
}

function inputFor({ asked, history }: Released, move: Move, index: number): LoopInput {
  const prompt = said(`u${index}`, 'x'.repeat(move.chars + 1));
  if (history.length === 0) return prompt;
  if (asked === undefined) return move.does < 20 ? compact : prompt;
  if (move.does < 8) return prompt;
  return asked.summary === undefined ? stepFor(move, index) : summaryFor(move, index);
}

function stepFor({ does, tokens, chars, finish }: Move, index: number): LoopInput {
  const id = `s${index}`;
  const parts = [text(`${id}-0`, 'y'.repeat(chars))];
  if (does < 18) return refused;
  if (does < 24) {
    const error = { name: 'MessageAbortedError', message: '' };
    return { type: 'aborted', message: step(id, parts, { finish: undefined, error }) };
  }
  const error = does < 30 ? { name: 'APIError', message: '' } : undefined;
  const ending = error === undefined ? finish : undefined;
  return stepped(id, tokens, { finish: ending, error, parts, usage: usage({ input: tokens }) });
}

function summaryFor({ does, tokens }: Move, index: number): LoopInput {
  if (does < 14) return summaryFailed;
  if (does < 20) return summaryOverflowed;
  if (does < 26) return aborted;
  const words = does < 32 ? '' : `summary ${index}`;
  const result = { text: words, finish: 'stop', usage: usage({ input: tokens }) };
  return { type: 'summary-finished', result };
}

function lineOf(command: Command): string {
  if (command.type === 'stop') return 'stop';
  if (command.type === 'request') return `request ${namesOf(command.view)}`;
  const { messages, prompt } = command.request;
  const previous = /<previous-summary>\n(.*)\n<\/previous-summary>/.exec(prompt)?.[1] ?? '';
  return `summarise ${namesOf(messages)} after: ${previous}`;
}
