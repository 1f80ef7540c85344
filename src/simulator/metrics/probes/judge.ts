import { isObject, parseJson } from '../../lib/json.ts';
import type { Reader, ReaderAnswer, ReaderPrompt } from './probe.ts';

/** An answer that is to be judged. */
export interface JudgedAnswer {
  readonly id: string;
  readonly question: string;
  readonly expected: string;
  readonly answer: string;
}

/** What a judge says of an answer: whether the point is there at all, and whether it is right in every detail. */
export interface Judgement {
  readonly recalled: boolean;
  readonly accurate: boolean;
  /** Whether the judge kept to the form; where not, both are taken to be false. */
  readonly isReadable: boolean;
}

/** A judgement, or why there is none. */
export type JudgeReply =
  | ({ readonly state: 'judged' } & Judgement)
  | Extract<ReaderAnswer, { readonly state: 'failed' }>;

const SYSTEM =
  'You are a strict examiner. Answer with one line of JSON and nothing else: {"recalled": true or false, "accurate": true or false}.';
const RULES: readonly string[] = [
  'FALSE for "recalled" if the answer says that it does not know or recall.',
  'FALSE for "recalled" if the answer only stays near the topic without the expected point.',
  'FALSE for both if the answer is vague where the expected one is definite.',
  'FALSE for "accurate" if a name, a number, a path or a negation differs.',
  'FALSE for "accurate" if it also states something that the expected answer excludes.',
];

/** Objects without others in them; a judgement has none. */
const OBJECT = /\{[^{}]*\}/g;
const UNREADABLE: Judgement = { recalled: false, accurate: false, isReadable: false };

/** All that every judge is told; judgements by other words are not compared. */
export const JUDGE_TEXTS: readonly string[] = [SYSTEM, ...RULES];

/** Asks a judge; the order of its rules depends on the answer's id and on the round, and on nothing else. */
export async function judgeAnswer(
  judge: Reader,
  answer: JudgedAnswer,
  round = 0,
): Promise<JudgeReply> {
  const reply = await judge.answer(judgePrompt(answer, round));
  return reply.state === 'failed' ? reply : { state: 'judged', ...readJudgement(reply.text) };
}

/** Whether the point is there and right in every detail. */
export function isRight({ recalled, accurate }: Pick<Judgement, 'recalled' | 'accurate'>): boolean {
  return recalled && accurate;
}

/** What a judge is asked. */
export function judgePrompt(
  { id, question, expected, answer }: JudgedAnswer,
  round: number,
): ReaderPrompt {
  return {
    system: SYSTEM,
    context: permuted(RULES, `${round} ${id}`)
      .map((rule, index) => `${index + 1}. ${rule}`)
      .join('\n'),
    question: `Question: ${question}\nExpected: ${expected}\nAnswer: ${answer}`,
  };
}

/** A judgement as a judge wrote it; strict, for a guess would be the harness's own. */
export function readJudgement(text: string): Judgement {
  const found = Array.from(text.matchAll(OBJECT), ([json]) => judgementIn(json)).filter(
    (one) => one !== undefined,
  );
  const [first, ...others] = found;
  const isOne = others.every(
    ({ recalled, accurate }) => recalled === first?.recalled && accurate === first.accurate,
  );
  return first !== undefined && isOne ? first : UNREADABLE;
}

function judgementIn(json: string): Judgement | undefined {
  const value = parseJson(json);
  const { recalled, accurate } = isObject(value) ? value : {};
  if (typeof recalled !== 'boolean' || typeof accurate !== 'boolean') return undefined;
  return { recalled, accurate, isReadable: true };
}

/** The same items turned and maybe mirrored, as a name decides. */
function permuted(items: readonly string[], name: string): readonly string[] {
  const number = Array.from(name).reduce(
    (hash, character) => (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0,
    7,
  );
  const start = number % items.length;
  const turned = [...items.slice(start), ...items.slice(0, start)];
  return Math.floor(number / items.length) % 2 === 0 ? turned : turned.toReversed();
}
