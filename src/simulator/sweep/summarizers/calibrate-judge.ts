import { agreementOf, cohenKappa, type VerdictPair } from '../../metrics/probes/agreement.ts';
import { judgeAnswer, type Judgement, JUDGE_VERSION } from '../../metrics/probes/judge.ts';
import { type LabelledAnswer, labelledAnswers } from '../../metrics/probes/labelled-answers.ts';
import type { Reader } from '../../metrics/probes/probe.ts';
import type { JudgeReport } from '../../report/summarizers/probes-report.ts';

/** How far a judge agrees with labels given by hand, and with itself when its rules stand in another order. */
export async function calibrateJudge(
  judge: Reader,
  answers: readonly LabelledAnswer[] = labelledAnswers,
): Promise<JudgeReport> {
  const withPeople: VerdictPair[] = [];
  const withItself: VerdictPair[] = [];
  let unreadable = 0;
  for (const labelled of answers) {
    const first = await judgeAnswer(judge, labelled, 0);
    const again = await judgeAnswer(judge, labelled, 1);
    withPeople.push({ a: labelled.recalled && labelled.accurate, b: isRight(first) });
    withItself.push({ a: isRight(first), b: isRight(again) });
    unreadable += Number(!first.isReadable);
  }
  return {
    name: judge.name,
    promptVersion: JUDGE_VERSION,
    labels: answers.length,
    kappa: cohenKappa(withPeople),
    selfAgreement: agreementOf(withItself),
    unreadable,
  };
}

function isRight({ recalled, accurate }: Judgement): boolean {
  return recalled && accurate;
}
