import { contentHash } from '../../lib/json.ts';
import { indexText } from '../quality/text/text-index.ts';
import type { DecidedAnswer, ProbeResult } from './accounts.ts';
import { findTexts } from './find-texts.ts';
import { isRight, judgeAnswer, type JudgedAnswer } from './judge.ts';
import {
  type Condition,
  CONDITIONS,
  type Probe,
  type Reader,
  READER_SYSTEM,
  type ReaderAnswer,
} from './probe.ts';
import { createRemembering } from './remember.ts';
import { scoreAnswer } from './score-answer.ts';

/** Who answers and who judges, and what there is to read. */
export interface AskOptions {
  readonly reader: Reader;
  /** The first one decides what rules cannot, the others check a sample of it; without any that is wrong. */
  readonly judges?: readonly Reader[] | undefined;
  /** What is read before the pivot, after it, and after it without the summary. */
  readonly contexts: Readonly<Record<'full' | 'compacted' | 'tail', string>>;
  /** Tells one asking from others, so that each has a sample of its own. */
  readonly sampleKey?: string | undefined;
}

/** What came of questions. */
export interface AskedProbes {
  readonly results: readonly ProbeResult[];
  /** Why questions have no result, one reason each. */
  readonly unanswered: readonly string[];
}

type Failed = Extract<ReaderAnswer, { readonly state: 'failed' }>;

/** Share of what the first judge decides that the others see too. Source: evaluation design, section 9.2. */
const CHECKED_SHARE = 0.1;
/** Questions that are under way at once; whoever answers may take fewer. */
const AT_ONCE = 4;
const SAMPLE_DIGITS = 8;

/** Asks every question under every condition, one question a prompt; the same prompt is asked once. */
export async function askProbes(
  probes: readonly Probe[],
  options: AskOptions,
): Promise<AskedProbes> {
  const asked: AskOptions = {
    ...options,
    reader: createRemembering(options.reader),
    judges: options.judges?.map(createRemembering),
  };
  const left = indexText(options.contexts.compacted);
  const found: (ProbeResult | Failed)[] = [];
  for (let start = 0; start < probes.length; start += AT_ONCE) {
    const some = probes.slice(start, start + AT_ONCE);
    found.push(...(await Promise.all(some.map((probe) => askEverywhere(probe, asked, left)))));
  }
  return {
    results: found.flatMap((one) => ('state' in one ? [] : [one])),
    unanswered: found.flatMap((one) => ('state' in one ? [one.reason] : [])),
  };
}

/** Whether a name falls into the sample that all judges see, which is the same each time. */
export function isSampled(name: string): boolean {
  const digits = contentHash(name).slice(0, SAMPLE_DIGITS);
  return Number.parseInt(digits, 16) < CHECKED_SHARE * 16 ** SAMPLE_DIGITS;
}

/** A question that is not answered under every condition says nothing of what a pivot took. */
async function askEverywhere(
  probe: Probe,
  options: AskOptions,
  left: ReturnType<typeof indexText>,
): Promise<ProbeResult | Failed> {
  const { id, kind } = probe;
  const replies = await Promise.all(
    CONDITIONS.map(
      async (condition) => [condition, await askOne(probe, condition, options)] as const,
    ),
  );
  const answers: Partial<Record<Condition, DecidedAnswer>> = {};
  for (const [condition, reply] of replies) {
    if ('state' in reply) return reply;
    answers[condition] = reply;
  }
  const { accepted, refused } = findTexts(left, probe);
  return {
    id,
    kind,
    answers: answers as ProbeResult['answers'],
    isLeft: (kind === 'compliance' ? refused : accepted) !== undefined,
  };
}

async function askOne(
  probe: Probe,
  condition: Condition,
  options: AskOptions,
): Promise<DecidedAnswer | Failed> {
  const context = contextOf(probe, condition, options.contexts);
  const { id, question, accepted } = probe;
  const reply = await options.reader.answer({ system: READER_SYSTEM, context, question });
  if (reply.state === 'failed') return reply;
  const state = scoreAnswer(probe, reply.text);
  const isAbstained = state === 'abstained';
  if (state !== 'undecided') return { isRight: state === 'right', isAbstained, by: 'rule' };
  const [expected = ''] = accepted;
  return decide({ id, question, expected, answer: reply.text }, condition, options);
}

/** What rules leave open is for the first judge to say. */
async function decide(
  answer: JudgedAnswer,
  condition: Condition,
  { judges = [], sampleKey = '' }: AskOptions,
): Promise<DecidedAnswer | Failed> {
  const [first, ...others] = judges;
  if (first === undefined) return { isRight: false, isAbstained: false, by: 'rule' };
  const decided = await judgeAnswer(first, answer);
  if (decided.state === 'failed') return decided;
  const verdicts = [isRight(decided)];
  const isChecked = others.length > 0 && isSampled(`${sampleKey} ${answer.id} ${condition}`);
  for (const judge of isChecked ? others : []) {
    const reply = await judgeAnswer(judge, answer);
    if (reply.state === 'failed') return reply;
    verdicts.push(isRight(reply));
  }
  return {
    isRight: isRight(decided),
    isAbstained: !decided.recalled,
    by: 'judge',
    ...(isChecked && { verdicts }),
  };
}

function contextOf(
  { evidence }: Probe,
  condition: Condition,
  contexts: AskOptions['contexts'],
): string {
  if (condition === 'none') return '';
  return condition === 'oracle' ? evidence : contexts[condition];
}
