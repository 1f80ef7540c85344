import { deserialize, serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { policies, type PolicyName } from '../../../src/engine/index.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import { type BareTrace, fromBare, toBare } from '../../../src/simulator/replay/bare-trace.ts';
import { compileSession } from '../../../src/simulator/replay/compile.ts';
import { runTrace } from '../../../src/simulator/replay/run-trace.ts';
import type { Trace } from '../../../src/simulator/replay/trace.ts';
import { readSessions } from '../../../src/simulator/session/load.ts';
import type { Session } from '../../../src/simulator/session/session.ts';
import { findSummarizer } from '../../../src/simulator/summarizer/summarizers.ts';
import { step, user } from '../../support/history.ts';
import { reportedSession } from '../../support/session-files.ts';
import { countTokens } from './lab.ts';
import { called, read, say } from './references/sessions.ts';

const MODEL = createProfile('anthropic/claude-opus-4-5', {
  contextTokens: 16_000,
  outputTokens: 1_000,
});
const SUMMARIZER = { ...findSummarizer('scripted:tokens=50'), isAsync: false } as never;
const [RECORDED] = readSessions('csv.json', reportedSession());

const compile = (session: Session) =>
  compileSession(session, {
    tokenizer: 'characters',
    tokenizerEvidence: 'estimated',
    count: countTokens,
  });

const bareOf = (session: Session): BareTrace => deserialize(serialize(toBare(compile(session))));
const laidBare = (session: Session): Trace => fromBare(bareOf(session), session.name, countTokens);

/** What a run comes to in tokens, compactions and losses. */
function courseOf(trace: Trace, name: PolicyName) {
  const options = { policy: policies[name], model: MODEL, summarizer: SUMMARIZER, seed: 1 };
  const events = [...runTrace(trace, options)];
  return {
    steps: events.flatMap((event) => (event.type === 'step-end' ? [event.contextTokens] : [])),
    pivots: events.filter(({ type }) => type === 'pivot').length,
    losses: events.filter((event) => event.type === 'reference' && event.missedBy).length,
  };
}

const withMessages = (...messages: Session['messages']): Session => ({
  ...RECORDED!,
  isPartial: false,
  recordedCompactions: [],
  messages,
});

describe('toBare', () => {
  it('keeps no text of a session', () => {
    const secret = 'swordfish';
    const input = { [`${secret}Key`]: [secret], path: secret };
    const call = { ...called('s1', `mcp__${secret}`, input, secret), id: 'call', callId: 'call' };
    const session = withMessages(
      user('u1', `I must never tell ${secret}.`),
      step('s1', [call], { error: { name: secret, message: secret } }),
      read('s2', `/home/${secret}/a.ts`, `const ${secret}Value = '${secret}';\n`.repeat(9)),
      say('s3', `It says ${secret}Value = '${secret}'.`),
    );
    expect(serialize(session).includes(secret)).toBe(true);
    expect(serialize(bareOf(session)).includes(secret)).toBe(false);
  });
});

describe('fromBare', () => {
  it.each<PolicyName>(['none', 'claude-code', 'opencode-1.18', 'codex-local', 'qwen-code'])(
    'runs under %s as with its texts',
    (name) => {
      const whole = courseOf(compile(RECORDED!), name);
      const bare = courseOf(laidBare(RECORDED!), name);
      expect(bare.steps.length).toBe(whole.steps.length);
      expect(bare.pivots).toBe(whole.pivots);
      // Sizes do not say which names an output that is cut still has.
      expect(bare.losses - whole.losses).toBe(name === 'codex-local' ? 1 : 0);
      for (const [index, tokens] of whole.steps.entries())
        expect(Math.abs((bare.steps[index] ?? 0) / tokens - 1)).toBeLessThan(0.02);
      expect(whole.pivots > 0).toBe(name !== 'none');
    },
  );

  it('knows a file again that a policy reads after its compaction', () => {
    const lines = Array.from({ length: 40 }, (_, line) => `const value${line} = ${line ** 3};`);
    const trace = laidBare(
      withMessages(user('u1', 'Go on.'), read('s1', 'a.ts', lines.join('\n')), say('s2', 'Done.')),
    );
    const { count, references } = trace;
    const part = trace.turns[0]!.steps[0]!.message.parts[0]!;
    const output = part.type === 'tool' && part.state.status === 'completed' && part.state.output;
    expect(count(`<file>${String(output)}</file>`)).toBe(
      countTokens(lines.join('\n')) + countTokens('<file></file>'),
    );
    expect(references().piecesIn('<file></file>')).toEqual([]);
  });
});
