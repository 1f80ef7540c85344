import * as z from 'zod';
import { expectKind, expectMessage } from '../../engine/internal.ts';
import {
  type AssistantMessage,
  type Message,
  render,
  type UserMessage,
} from '../../engine/index.ts';
import type { Evidence, TokenBasis, TokenScale } from '../events.ts';
import { known } from '../lib/collections.ts';
import { callable, expectValid, Tokens } from '../lib/expect.ts';
import { MINUTE_MS } from '../lib/units.ts';
import { type CheckName, checks, findFault } from '../provider/checks.ts';
import { contextTokensOf, isUsageComputed, type Session } from '../session/session.ts';
import {
  calibrateOn,
  isContinued,
  isMeasured,
  knownOverhead,
  pairSteps,
  sizeByUsage,
  statedOverhead,
  type StepPair,
} from './sizes.ts';
import { type CountText, RECORDED, trueWritten } from './count.ts';
import { textFaultsOf } from './recording-faults.ts';
import { compileReferences } from './references/find-references.ts';
import { type CacheFate, messagesOf, type Trace, type TraceStep, type TraceTurn } from './trace.ts';

/** The tokenizer and scale for a session. */
export interface CompileOptions {
  readonly tokenizer: string;
  /** `measured` if the tokenizer is the model's own. */
  readonly tokenizerEvidence: Evidence;
  readonly count: CountText;
  /** System prompt and tool definitions, where the session's author knows them; else as recorded. */
  readonly overheadTokens?: number | undefined;
  /** The factor from counted to true tokens, where the session's author knows it; else it is calibrated on recorded usage. */
  readonly scale?: TokenScale | undefined;
}

/** Less than that part of a request may be read anew though nothing was lost. */
const LOST_SHARE = 0.1;
/** Tokens of a call besides its text: the median of 20 recorded answers of Claude Code. */
const CALL_TOKENS = 70;
/** Counted text may come to so many times the reported tokens. */
const MOST_SHARE = 2;
const LEAST_TTL_MS = 5 * MINUTE_MS;

const CHECK_NAMES = Object.keys(checks) as readonly CheckName[];

const FACTOR = 'a finite number above 0';

const CompileSchema = z.strictObject({
  tokenizer: z.string(),
  tokenizerEvidence: z.enum(['measured', 'estimated']),
  count: callable<CountText>(),
  overheadTokens: Tokens.optional(),
  scale: z
    .strictObject({
      factor: z.number({ error: FACTOR }).positive(FACTOR),
      perMessageTokens: Tokens,
    })
    .optional(),
});

/** Compiles a session for replay: turns, steps and token basis. Throws a `TypeError` that names the invalid field. */
export function compileSession(session: Session, options: CompileOptions): Trace {
  checkSession(session);
  expectValid('options', options, CompileSchema);
  // An asynchronous counter gives no number.
  expectValid('options.count()', options.count('a'), Tokens);
  const { basis, recorded, fates, growths } = weigh(session, options);
  const scale = { factor: basis.factor, count: options.count };
  const toStep = (message: AssistantMessage): TraceStep => {
    const { output = 0, reasoning = 0 } = message.usage ?? {};
    const toldTokens = output + reasoning;
    const calls = message.usage ? message.parts.filter(({ type }) => type === 'tool').length : 0;
    const writtenTokens = trueWritten(message.parts, scale) + CALL_TOKENS * calls;
    const leastTokens = Math.min(writtenTokens, growths.get(message) ?? Infinity);
    // A count that is not final was taken as the answer began.
    const isTold =
      leastTokens <= MOST_SHARE * toldTokens || (session.isOutputFinal && message.usage);
    const unseenTokens = recorded?.unseen.get(message);
    const thoughts = message.parts.filter(({ type }) => type === 'reasoning');
    return {
      message: { ...message, usage: undefined, ...known({ unseenTokens }) },
      outputTokens: isTold ? toldTokens : leastTokens,
      reasoningTokens: isTold ? reasoning : Math.min(leastTokens, trueWritten(thoughts, scale)),
      ...(isMeasured(message) && {
        recordedContextTokens: contextTokensOf(message.usage),
        ...(!isUsageComputed(session) && { recordedUsage: message.usage }),
      }),
      ...known({ resized: recorded?.resized.get(message), cacheFate: fates.get(message.id) }),
    };
  };
  const turns = groupTurns(session.messages, toStep);
  const rendered = render(session.messages, RECORDED);
  return {
    session: session.name,
    format: session.format,
    isPartial: session.isPartial,
    turns,
    basis,
    sizes: recorded?.parts ?? new Map(),
    count: options.count,
    references: compileReferences({
      messages: () => messagesOf(turns),
      facts: session.facts ?? [],
      system: session.system,
      recorded: {
        format: session.format,
        ...known({ release: session.release }),
        recordedCompactions: session.recordedCompactions,
      },
      basis,
      count: options.count,
    }),
    // A recorder leaves out, or cuts short, what its provider had seen.
    ownFaults: CHECK_NAMES.filter((name) => findFault(rendered, [name]) !== undefined),
    ...known({ textFaults: textFaultsOf(session) }),
    recordedCompactions: session.recordedCompactions,
    recordedCache: { ttlMs: session.cacheTtlMs, isUnknown: session.isCacheUnknown ?? false },
  };
}

/** Compiles a session with the sizes of its fit alone, which are all that a scenario can state. */
export function compileFitted(session: Session, options: CompileOptions): Trace {
  const { factor, perMessageTokens } = compileSession(session, options).basis;
  return compileSession(session, { ...options, scale: { factor, perMessageTokens } });
}

function weigh(session: Session, options: CompileOptions) {
  const { tokenizer, tokenizerEvidence, count, scale: given } = options;
  const pairs = pairSteps(session, count);
  // A scale that is given rests on no steps of the session.
  const calibration = given
    ? { ...given, evidence: 'measured' as const, pairs: 0 }
    : calibrateOn(pairs);
  const { evidence, pairs: calibrationPairs, ...scale } = calibration;
  const stated = statedOverhead(session, { scale, count });
  const recorded = sizeByUsage(session, { ...options, pairs, scale, stated });
  const sizes = given ? undefined : recorded;
  const isMeasured = options.overheadTokens === undefined && recorded?.overhead === 'measured';
  const { overheadTokens, overhead } =
    sizes ?? (isMeasured ? recorded : knownOverhead({ ...options, stated }));
  return {
    basis: {
      tokenizer,
      tokenizerEvidence,
      ...scale,
      calibration: evidence,
      calibrationPairs,
      overheadTokens,
      overhead,
    } satisfies TokenBasis,
    recorded: sizes,
    // An answer is no longer than what the next request grew by.
    growths: new Map<Message, number>(
      pairs.filter(isContinued).map(({ from, growth }) => [from, growth.recordedTokens]),
    ),
    fates: new Map<string, CacheFate>(
      session.isCacheUnknown ? [] : pairs.flatMap((pair) => fateOf(pair, session)),
    ),
  };
}

function fateOf(
  { from, to, cut, isOtherModel }: StepPair,
  { cacheTtlMs = LEAST_TTL_MS }: Session,
): readonly (readonly [string, CacheFate])[] {
  if (cut !== undefined || isOtherModel) return [];
  const leftTokens = from.usage.cacheRead + from.usage.cacheWrite;
  const lostTokens = leftTokens - to.usage.cacheRead;
  if (lostTokens > LOST_SHARE * contextTokensOf(to.usage)) {
    return [[to.id, { keptTokens: to.usage.cacheRead }]];
  }
  const isLate = to.createdAt - from.createdAt >= cacheTtlMs;
  return isLate && to.usage.cacheRead > 0 ? [[to.id, 'outlived']] : [];
}

function groupTurns(
  messages: readonly Message[],
  toStep: (message: AssistantMessage) => TraceStep,
): readonly TraceTurn[] {
  const turns: { message: UserMessage; steps: TraceStep[] }[] = [];
  for (const message of messages) {
    if (message.role === 'user') turns.push({ message, steps: [] });
    else turns.at(-1)?.steps.push(toStep(message));
  }
  return turns;
}

/** Steps before the first prompt would be in no turn, and left out. */
function checkSession(session: Session): void {
  const { messages, recordedCompactions } = expectKind('session', session, 'object');
  expectKind('session.recordedCompactions', recordedCompactions, 'list');
  for (const [index, message] of expectKind('session.messages', messages, 'list').entries())
    expectMessage(`session.messages[${index}]`, message, index === 0 ? 'user' : undefined);
}
