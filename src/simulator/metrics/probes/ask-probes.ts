import { keepIn } from '../../lib/collections.ts';
import { contentHash } from '../../lib/json.ts';
import { indexText } from './text-index.ts';
import { isAtMost } from '../statistics/verdict.ts';
import { isRight, judgeAnswer, type JudgedAnswer } from './judge.ts';
import {
  type Condition,
  CONDITIONS,
  findTexts,
  type Probe,
  type ProbeKind,
  type Reader,
  READER_SYSTEM,
  type ReaderAnswer,
} from './probe.ts';
import { scoreAnswer } from './score-answer.ts';

/** Who answers and who judges, and what there is to read. */
interface AskOptions {
  readonly reader: Reader;
  /** The first one decides what rules cannot, the others check a sample of it; without any that is wrong. */
  readonly judges?: readonly Reader[] | undefined;
  /** The context before the pivot, after it, and after it without the summary. */
  readonly contexts: Readonly<Record<'full' | 'compacted' | 'tail', string>>;
  /** Distinguishes askings, so that each has a sample of its own. */
  readonly sampleKey?: string | undefined;
}

/** The results of asked questions. */
export interface AskedProbes {
  readonly results: readonly ProbeResult[];
  /** Why questions have no result, one reason each. */
  readonly unanswered: readonly string[];
}

type Failed = Extract<ReaderAnswer, { readonly state: 'failed' }>;

/** How an answer was decided. */
export interface DecidedAnswer {
  readonly isRight: boolean;
  /** True if it claims nothing that could be wrong. */
  readonly isAbstained: boolean;
  readonly by: 'rule' | 'judge';
  /** Where several judges were asked: whether each of them finds it right, in their order. */
  readonly verdicts?: readonly boolean[] | undefined;
}

/** One question under every condition. */
export interface ProbeResult {
  readonly id: string;
  readonly kind: ProbeKind;
  readonly answers: Readonly<Record<Condition, DecidedAnswer>>;
  /** True if a search finds the answer in the context after the pivot. */
  readonly isLeft: boolean;
}

/** Probe results in sums; null where there are none, or too few to divide by. */
export interface ProbeAccount {
  readonly questions: number;
  readonly accuracy: Readonly<Record<Condition, number | null>>;
  /** Retained share of what the session adds over nothing; null where that is too little. */
  readonly retention: number | null;
  /** Points that the pivot took: those it lost, less those it gained. */
  readonly loss: LossAccount;
  /** The share that the reader missed although it had everything before it. */
  readonly attentionLoss: number | null;
  /** The share that the summary adds to the tail. */
  readonly summaryValue: number | null;
}

/** Questions that are answered right before the pivot and wrong after it, as shares of all, and the other way round. */
export interface LossAccount {
  /** Gone from the context, and not answered. */
  readonly lost: number | null;
  /** Still there, and not used. */
  readonly ignored: number | null;
  /** Gone, and answered with something else. */
  readonly confabulated: number | null;
  /** Right only after the pivot. */
  readonly gained: number | null;
}

/** Share of what the first judge decides that the others see too. Source: evaluation design, section 9.2. */
const CHECKED_SHARE = 0.1;
/** Concurrent questions; a reader may accept fewer. */
const AT_ONCE = 4;
const SAMPLE_DIGITS = 8;

/** The parts of a loss, in the order of reports. */
export const LOSSES: readonly (keyof LossAccount)[] = ['lost', 'ignored', 'confabulated', 'gained'];

/** The least advantage of the whole session over an empty context. Source: evaluation design, section 9.2. */
const LEAST_TOLD = 0.2;

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

/** Tests if a name belongs to the sample that all judges see; deterministic. */
export function isSampled(name: string): boolean {
  const digits = contentHash(name).slice(0, SAMPLE_DIGITS);
  return Number.parseInt(digits, 16) < CHECKED_SHARE * 16 ** SAMPLE_DIGITS;
}

/** Sums probe results, except for questions that nobody can answer. */
export function accountProbes(all: readonly ProbeResult[]): ProbeAccount {
  const results = all.filter(({ kind }) => kind !== 'abstention');
  const share = (is: (result: ProbeResult) => boolean) => shareOf(results, is);
  const of = (condition: Condition) => share(({ answers }) => answers[condition].isRight);
  const accuracy = {
    none: of('none'),
    oracle: of('oracle'),
    full: of('full'),
    compacted: of('compacted'),
    tail: of('tail'),
  };
  const isLost = ({ answers }: ProbeResult) => answers.full.isRight && !answers.compacted.isRight;
  return {
    questions: results.length,
    accuracy,
    retention: normalisedRetention(accuracy),
    loss: {
      lost: share((one) => isLost(one) && !one.isLeft && one.answers.compacted.isAbstained),
      ignored: share((one) => isLost(one) && one.isLeft),
      confabulated: share(
        (one) => isLost(one) && !one.isLeft && !one.answers.compacted.isAbstained,
      ),
      gained: share(({ answers }) => !answers.full.isRight && answers.compacted.isRight),
    },
    attentionLoss: minus(accuracy.oracle, accuracy.full),
    summaryValue: minus(accuracy.compacted, accuracy.tail),
  };
}

/** Share of unanswerable questions after the pivot that were answered. */
export function falseRecallRate(all: readonly ProbeResult[]): number | null {
  const asked = all.filter(({ kind }) => kind === 'abstention');
  return shareOf(asked, ({ answers }) => !answers.compacted.isRight);
}

/** Retained share of what the session adds over nothing; raw numbers where that is too little. */
export function normalisedRetention({
  none,
  full,
  compacted,
}: Pick<ProbeAccount['accuracy'], 'none' | 'full' | 'compacted'>): number | null {
  if (none === null || full === null || compacted === null) return null;
  return isAtMost(LEAST_TOLD, full - none) ? (compacted - none) / (full - none) : null;
}

/** A reader that is asked the same only once. */
function createRemembering(reader: Reader): Reader {
  const answers = new Map<string, Promise<ReaderAnswer>>();
  return {
    name: reader.name,
    answer: (prompt) => {
      const key = JSON.stringify([prompt.system, prompt.context, prompt.question]);
      return keepIn(answers, key, () => reader.answer(prompt));
    },
  };
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

function contextOf(
  { evidence }: Probe,
  condition: Condition,
  contexts: AskOptions['contexts'],
): string {
  if (condition === 'none') return '';
  return condition === 'oracle' ? evidence : contexts[condition];
}

/** Lets the first judge decide on answers that the rules leave open. */
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

function shareOf(
  results: readonly ProbeResult[],
  is: (result: ProbeResult) => boolean,
): number | null {
  return results.length === 0 ? null : results.filter(is).length / results.length;
}

function minus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b;
}
