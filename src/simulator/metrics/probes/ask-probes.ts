import { keepIn } from '../../lib/collections.ts';
import { contentHash } from '../../lib/json.ts';
import { isAtMost } from '../statistics/verdict.ts';
import {
  type Condition,
  CONDITIONS,
  type Probe,
  type ProbeKind,
  type Reader,
  READER_SYSTEM,
  type ReaderAnswer,
  type ReaderPrompt,
} from './probe.ts';
import { type AnswerState, scoreAnswer } from './score-answer.ts';

interface AskOptions {
  readonly reader: Reader;
  readonly contexts: Readonly<Record<Exclude<Condition, 'none'>, string>>;
}

type Failed = Extract<ReaderAnswer, { readonly state: 'failed' }>;

/** One question under every condition. */
export interface ProbeResult {
  readonly id: string;
  readonly kind: ProbeKind;
  readonly answers: Readonly<Record<Condition, AnswerState>>;
}

const AT_ONCE = 4;

/** The least advantage of the whole session over an empty context. Source: evaluation design, section 9.2. */
const LEAST_TOLD = 0.2;

/** Asks every question under every condition, one question a prompt; with a reason for each that has no result. */
export async function askProbes(
  probes: readonly Probe[],
  options: AskOptions,
): Promise<{ readonly results: readonly ProbeResult[]; readonly unanswered: readonly string[] }> {
  const found: (ProbeResult | Failed)[] = [];
  for (let start = 0; start < probes.length; start += AT_ONCE) {
    const some = probes.slice(start, start + AT_ONCE);
    found.push(...(await Promise.all(some.map((probe) => askEverywhere(probe, options)))));
  }
  return {
    results: found.flatMap((one) => ('state' in one ? [] : [one])),
    unanswered: found.flatMap((one) => ('state' in one ? [one.reason] : [])),
  };
}

/** A reader that is asked the same only once, but for failures. */
export function createRemembering(reader: Reader): Reader {
  const answers = new Map<string, Promise<ReaderAnswer>>();
  const ask = async (prompt: ReaderPrompt, key: string) => {
    const reply = await reader.answer(prompt);
    if (reply.state === 'failed') answers.delete(key);
    return reply;
  };
  return {
    ...reader,
    answer: (prompt) => {
      const key = contentHash(prompt);
      return keepIn(answers, key, () => ask(prompt, key));
    },
  };
}

/** The share of questions that are answered right under a condition; null without questions. */
export function shareRight(
  results: readonly ProbeResult[],
  condition: Condition,
  kind?: ProbeKind,
): number | null {
  const own = kind === undefined ? results : results.filter((result) => result.kind === kind);
  if (own.length === 0) return null;
  return own.filter(({ answers }) => answers[condition] === 'right').length / own.length;
}

/** The share that is left of what the session adds to nothing; unknown where it adds too little. */
export function shareLeft({ none, full, compacted }: Readonly<Record<Condition, number>>) {
  return isAtMost(LEAST_TOLD, full - none) ? (compacted - none) / (full - none) : null;
}

/** A question that is not answered under every condition says nothing of what a compaction took. */
async function askEverywhere(probe: Probe, options: AskOptions): Promise<ProbeResult | Failed> {
  const { id, kind, question, expected } = probe;
  const replies = await Promise.all(
    CONDITIONS.map(async (condition) => {
      const context = condition === 'none' ? '' : options.contexts[condition];
      const reply = await options.reader.answer({ system: READER_SYSTEM, context, question });
      return [condition, reply] as const;
    }),
  );
  const answers: Partial<Record<Condition, AnswerState>> = {};
  for (const [condition, reply] of replies) {
    if (reply.state === 'failed') return reply;
    answers[condition] = scoreAnswer(expected, reply.text);
  }
  return { id, kind, answers: answers as ProbeResult['answers'] };
}
