import { isObject, parseJson } from '../../lib/json.ts';
import type { Reader, ReaderAnswer, ReaderPrompt } from './probe.ts';

/** An answer that is to be judged. */
export interface JudgedAnswer {
  readonly id: string;
  readonly question: string;
  readonly expected: string;
  readonly answer: string;
}

/** A judge's verdict: is the point there, and is it right in every detail. */
interface Judgement {
  readonly recalled: boolean;
  readonly accurate: boolean;
  /** True if the judge's reply has the demanded form; else both verdicts count as false. */
  readonly isReadable: boolean;
}

/** A judgement, or why there is none. */
type JudgeReply =
  | ({ readonly state: 'judged' } & Judgement)
  | Extract<ReaderAnswer, { readonly state: 'failed' }>;

/** An answer with what a person says of it. */
export interface LabelledAnswer extends JudgedAnswer {
  readonly recalled: boolean;
  readonly accurate: boolean;
}

type Labels = readonly (readonly [answer: string, recalled: boolean, accurate: boolean])[];

/** Two verdicts on the same answer. */
export interface VerdictPair {
  readonly a: boolean;
  readonly b: boolean;
}

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

/** Prompts of every judge; judgements under other prompts are not compared. */
export const JUDGE_TEXTS: readonly string[] = [SYSTEM, ...RULES];

/** Questions with the expected value and labelled answers, all made up for this purpose. */
const QUESTIONS: readonly (readonly [question: string, expected: string, labels: Labels])[] = [
  [
    'Which error code came from the upload job?',
    'E_UPLD_4410',
    [
      ['E_UPLD_4410', true, true],
      ['The job failed with E_UPLD_4410.', true, true],
      ['E_UPLD_4411', true, false],
      ["I don't recall the code.", false, false],
      ['It was an upload error.', false, false],
    ],
  ],
  [
    'Which file holds the retry logic?',
    'src/net/retry-policy.ts',
    [
      ['src/net/retry-policy.ts', true, true],
      ['The retry logic is in retry-policy.ts under src/net.', true, true],
      ['src/http/retry-policy.ts', true, false],
      ['Somewhere in the network code.', false, false],
      ['There were several files about retries.', false, false],
    ],
  ],
  [
    'Which port does the staging server use?',
    '8461',
    [
      ['8461', true, true],
      ['It listens on port 8,461.', true, true],
      ['8641', true, false],
      ['A port above 8000.', false, false],
      ['The conversation does not say.', false, false],
    ],
  ],
  [
    'May the agent push to the release branch?',
    'No, never push to the release branch.',
    [
      ['No.', true, true],
      ['Pushing to release is forbidden.', true, true],
      ['Yes, after the tests pass.', true, false],
      ['Branches were discussed.', false, false],
      ['Unknown.', false, false],
    ],
  ],
  [
    'Which cache library was chosen, and not which was rejected?',
    'lantern-cache; ember-cache was rejected',
    [
      ['lantern-cache', true, true],
      ['They took lantern-cache after rejecting ember-cache.', true, true],
      ['ember-cache', false, false],
      ['lantern-cache and ember-cache were both chosen.', true, false],
      ['A cache library.', false, false],
    ],
  ],
  [
    'What is left to do on the importer?',
    'Write the test for empty rows',
    [
      ['The empty-row test still has to be written.', true, true],
      ['Write the test for empty rows.', true, true],
      ['The test for empty rows is done.', true, false],
      ['Some work on the importer.', false, false],
      ['Nothing is left.', false, false],
    ],
  ],
  [
    'What is the limit for requests a minute by now?',
    '90, it was 60 before',
    [
      ['90', true, true],
      ['It was raised from 60 to 90.', true, true],
      ['60', false, false],
      ['Either 60 or 90.', true, false],
      ['A limit is in place.', false, false],
    ],
  ],
  [
    'Which command starts the checks?',
    'make verify-all',
    [
      ['make verify-all', true, true],
      ['Run `make verify-all`.', true, true],
      ['make verify', true, false],
      ['There is a make target for it.', false, false],
      ['I cannot tell.', false, false],
    ],
  ],
  [
    '上线的服务器用哪个版本?',
    '2.31.4',
    [
      ['2.31.4', true, true],
      ['上线用的是 2.31.4 版。', true, true],
      ['2.31.5', true, false],
      ['对话里没有说。', false, false],
      ['应该是比较新的版本。', false, false],
    ],
  ],
  [
    'ログはどのフォルダに書きますか?',
    '/var/tidal/log',
    [
      ['/var/tidal/log', true, true],
      ['ログは /var/tidal/log に書きます。', true, true],
      ['/var/tidal/logs-old', true, false],
      ['覚えていません。', false, false],
      ['どこかのログ用フォルダです。', false, false],
    ],
  ],
];

/** Answers by which a judge is measured. */
export const labelledAnswers: readonly LabelledAnswer[] = QUESTIONS.flatMap(
  ([question, expected, labels], at) =>
    labels.map(([answer, recalled, accurate], index) => ({
      id: `label ${at + 1}.${index + 1}`,
      question,
      expected,
      answer,
      recalled,
      accurate,
    })),
);

/** Agreement that a judge must reach before anything may depend on it. Source: evaluation design, section 9.2. */
export const LEAST_KAPPA = 0.8;

/** Share of the labelled answers that a judge must have judged: on a few of them anybody may agree. */
export const LEAST_JUDGED_SHARE = 0.9;

/** Verdicts below which one cannot agree or disagree. */
const LEAST_VERDICTS = 2;

/** Asks a judge; the order of its rules depends on the answer's id and on the round, and on nothing else. */
export async function judgeAnswer(
  judge: Reader,
  answer: JudgedAnswer,
  round = 0,
): Promise<JudgeReply> {
  const reply = await judge.answer(judgePrompt(answer, round));
  return reply.state === 'failed' ? reply : { state: 'judged', ...readJudgement(reply.text) };
}

/** Tests if the point is there and right in every detail. */
export function isRight({ recalled, accurate }: Pick<Judgement, 'recalled' | 'accurate'>): boolean {
  return recalled && accurate;
}

/** The prompt for a judge. */
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

/** Tests if a judge agrees sufficiently with labels. */
export function agreesEnough(kappa: number | null): boolean {
  return kappa !== null && kappa >= LEAST_KAPPA;
}

/** Cohen's κ: how far two agree beyond chance; `null` without verdicts, or where chance alone explains everything. */
export function cohenKappa(pairs: readonly VerdictPair[]): number | null {
  if (pairs.length === 0) return null;
  const observed = agreementOf(pairs) ?? 0;
  const [yesOfA, yesOfB] = [shareOf(pairs, ({ a }) => a), shareOf(pairs, ({ b }) => b)];
  const byChance = yesOfA * yesOfB + (1 - yesOfA) * (1 - yesOfB);
  return byChance === 1 ? null : (observed - byChance) / (1 - byChance);
}

/** Share of answers on which both say the same; `null` without any. */
export function agreementOf(pairs: readonly VerdictPair[]): number | null {
  return pairs.length === 0 ? null : shareOf(pairs, ({ a, b }) => a === b);
}

/**
 * Krippendorff's α of any number of judges, each list being the verdicts on one answer: how far they agree beyond
 * chance. An answer that only one has judged does not count; `null` where all verdicts are the same, or there are none.
 */
export function krippendorffAlpha(answers: readonly (readonly boolean[])[]): number | null {
  const judged = answers.filter(({ length }) => length >= LEAST_VERDICTS);
  const verdicts = judged.flat();
  const yes = verdicts.filter(Boolean).length;
  const no = verdicts.length - yes;
  if (yes === 0 || no === 0) return null;
  const disagreeing = judged.reduce((total, own) => {
    const ownYes = own.filter(Boolean).length;
    return total + (ownYes * (own.length - ownYes)) / (own.length - 1);
  }, 0);
  return 1 - ((verdicts.length - 1) * disagreeing) / (yes * no);
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

function judgementIn(json: string): Judgement | undefined {
  const value = parseJson(json);
  const { recalled, accurate } = isObject(value) ? value : {};
  if (typeof recalled !== 'boolean' || typeof accurate !== 'boolean') return undefined;
  return { recalled, accurate, isReadable: true };
}

function shareOf(pairs: readonly VerdictPair[], is: (pair: VerdictPair) => boolean): number {
  return pairs.filter(is).length / pairs.length;
}
