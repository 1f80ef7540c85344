import {
  agreementOf,
  agreesEnough,
  cohenKappa,
  krippendorffAlpha,
  LEAST_JUDGED_SHARE,
  type VerdictPair,
} from '../../metrics/probes/agreement.ts';
import { SHARE } from '../../metrics/statistics/range.ts';
import { isRight, judgeAnswer, JUDGE_TEXTS } from '../../metrics/probes/judge.ts';
import { type LabelledAnswer, labelledAnswers } from '../../metrics/probes/labelled-answers.ts';
import type { Reader } from '../../metrics/probes/probe.ts';
import type { JudgeCalibration } from '../../report/summarizers/probes-report.ts';
import type { IntervalEstimate } from '../../report/summarizers/summarizers-report.ts';
import { groupBy } from '../../group-by.ts';
import { estimateStatistic } from './estimate.ts';
import { summaryHash } from './scenario.ts';

/** How far judges may be trusted, before they have judged anything that counts. */
export interface JudgesCalibration {
  readonly judges: readonly JudgeCalibration[];
  /** Krippendorff's α of all judges on the labelled answers; absent of one judge. */
  readonly alpha?: IntervalEstimate | undefined;
}

/** What a judge says of a labelled answer; absent where it could not be asked. */
interface Verdict {
  readonly question: string;
  readonly label: boolean;
  readonly first: boolean | undefined;
  readonly again: boolean | undefined;
  readonly isReadable: boolean;
}

const AGREEMENT = { low: -1, high: 1 };

/** How far judges agree with labels given by hand, each with itself when its rules stand in another order, and all with one another. */
export async function calibrateJudges(
  judges: readonly Reader[],
  seed: number,
): Promise<JudgesCalibration> {
  const verdicts: (readonly Verdict[])[] = [];
  for (const judge of judges) {
    verdicts.push(await Promise.all(labelledAnswers.map((answer) => judgeTwice(judge, answer))));
  }
  return {
    judges: judges.map(({ name }, index) => reportOf(name, verdicts[index] ?? [], seed)),
    ...(judges.length > 1 && { alpha: alphaOf(verdicts, seed) }),
  };
}

async function judgeTwice(judge: Reader, labelled: LabelledAnswer): Promise<Verdict> {
  const [first, again] = await Promise.all([
    judgeAnswer(judge, labelled, 0),
    judgeAnswer(judge, labelled, 1),
  ]);
  return {
    question: labelled.question,
    label: isRight(labelled),
    first: first.state === 'judged' ? isRight(first) : undefined,
    again: again.state === 'judged' ? isRight(again) : undefined,
    isReadable: first.state === 'judged' && first.isReadable,
  };
}

/** Answers to one question are no independent evidence. */
function reportOf(name: string, verdicts: readonly Verdict[], seed: number): JudgeCalibration {
  const questions = byQuestion(verdicts);
  const kappa = estimateStatistic(
    questions.map((own) => own.flatMap(withLabel)),
    (drawn) => cohenKappa(drawn.flat()),
    { seed, range: AGREEMENT },
  );
  const judged = verdicts.filter(({ first }) => first !== undefined);
  return {
    name,
    promptHash: summaryHash(JUDGE_TEXTS),
    labels: judged.length,
    kappa,
    selfAgreement: estimateStatistic(
      questions.map((own) => own.flatMap(withItself)),
      (drawn) => agreementOf(drawn.flat()),
      { seed, range: SHARE },
    ),
    unreadable: judged.filter(({ isReadable }) => !isReadable).length,
    failed: verdicts.length - judged.length,
    isTrusted: agreesEnough(kappa.mean) && judged.length >= LEAST_JUDGED_SHARE * verdicts.length,
  };
}

function withLabel({ label, first }: Verdict): readonly VerdictPair[] {
  return first === undefined ? [] : [{ a: label, b: first }];
}

function withItself({ first, again }: Verdict): readonly VerdictPair[] {
  return first === undefined || again === undefined ? [] : [{ a: first, b: again }];
}

function alphaOf(judges: readonly (readonly Verdict[])[], seed: number): IntervalEstimate {
  const answers = (judges[0] ?? []).map(({ question }, index) => ({
    question,
    verdicts: judges.flatMap((own) => {
      const verdict = own[index]?.first;
      return verdict === undefined ? [] : [verdict];
    }),
  }));
  return estimateStatistic(
    byQuestion(answers).map((own) => own.map(({ verdicts }) => verdicts)),
    (drawn) => krippendorffAlpha(drawn.flat()),
    { seed, range: AGREEMENT },
  );
}

function byQuestion<One extends { readonly question: string }>(
  all: readonly One[],
): readonly (readonly One[])[] {
  return [...groupBy(all, ({ question }) => question).values()];
}
