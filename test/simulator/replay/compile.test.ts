import { describe, expect, it } from 'vitest';
import { compileSession } from '../../../src/simulator/replay/compile.ts';
import type { RecordedCompaction, Session } from '../../../src/simulator/session/session.ts';
import { step, text, usage, user } from '../../support/history.ts';
import { countCharacters, OVERHEAD_TOKENS, usageOf, withUsage, worldOf } from './world.ts';

const WORLD = worldOf({ sizes: [10, 70, 31, 4, 200, 55, 9, 320] });

const compile = (session: Session, factor?: number) =>
  compileSession(session, {
    tokenizer: 'characters',
    tokenizerEvidence: 'estimated',
    count: countCharacters,
    ...(factor !== undefined && { scale: { factor, perMessageTokens: 0 } }),
  });

const cutAt = (messageIndex: number): { readonly recordedCompactions: RecordedCompaction[] } => ({
  recordedCompactions: [{ kind: 'full', messageIndex }],
});

describe('system prompt and tools', () => {
  it.each<[what: string, session: Session, expected: number | undefined]>([
    ['are what the first request held besides', WORLD, OVERHEAD_TOKENS],
    ['are so behind a later cut', { ...WORLD, ...cutAt(2) }, OVERHEAD_TOKENS],
    [
      'are what the first measured one held besides',
      withUsage(WORLD, 'm1', undefined),
      OVERHEAD_TOKENS,
    ],
    ['are not less than nothing', withUsage(WORLD, 'm1', usageOf(0, 3)), 0],
    ['are unknown where the beginning is', { ...WORLD, isPartial: true }, undefined],
    ['are unknown behind a cut', { ...WORLD, ...cutAt(1) }, undefined],
    ['are unknown without usage', { ...WORLD, messages: [user('u1'), step('s1', [])] }, undefined],
  ])('%s', (_, session, expected) => {
    const known = { overheadTokens: expected, overhead: 'measured' };
    const unknown = { overheadTokens: 12_000, overhead: 'estimated' };
    const scale = worldScale(session);
    expect(scale).toMatchObject(expected === undefined ? unknown : known);
  });
});

/** The basis of a session in the scale of its world, whatever it tells of that. */
function worldScale(session: Session) {
  const scale = { factor: 2, perMessageTokens: 5 };
  const options = { tokenizer: 'characters', tokenizerEvidence: 'estimated' as const, scale };
  return compileSession(session, { ...options, count: countCharacters }).basis;
}

describe('what a step wrote', () => {
  const parts = [
    { type: 'reasoning' as const, id: 'r1', text: 'hmmm' },
    text('p1', 'x'.repeat(10)),
  ];
  const told = usage({ input: 50, output: 7, reasoning: 3 });

  it.each<[what: string, isOutputFinal: boolean, isTold: boolean, output: number, thought: number]>(
    [
      ['is what was reported, with its reasoning', true, true, 10, 3],
      ['is counted where the report may be of its beginning', false, true, 28, 8],
      ['is counted where nothing was reported', true, false, 28, 8],
    ],
  )('%s', (_, isOutputFinal, isTold, outputTokens, reasoningTokens) => {
    const answer = step('s1', parts, isTold ? { usage: told } : {});
    const session = { ...WORLD, isOutputFinal, messages: [user('u1'), answer] };
    const [turn] = compile(session, 2).turns;
    expect(turn?.steps).toMatchObject([{ outputTokens, reasoningTokens }]);
    expect(turn?.steps[0]?.message).not.toHaveProperty('usage', told);
  });

  it('is no less than what was reported of its beginning', () => {
    const answer = step('s1', parts, { usage: usage({ input: 50, output: 60, reasoning: 20 }) });
    const session = { ...WORLD, isOutputFinal: false, messages: [user('u1'), answer] };
    expect(compile(session, 2).turns[0]?.steps).toMatchObject([
      { outputTokens: 80, reasoningTokens: 20 },
    ]);
  });
});
