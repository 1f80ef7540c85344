import { indexText } from '../quality/text/text-index.ts';
import type { DecidedAnswer, ProbeResult } from './accounts.ts';
import { judgeAnswer } from './judge.ts';
import { type Condition, type Probe, type Reader, READER_SYSTEM } from './probe.ts';
import { scoreAnswer, stands } from './score-answer.ts';

/** Who answers and who judges, and what there is to read. */
export interface AskOptions {
  readonly reader: Reader;
  /** Decides what rules cannot; without one that is wrong. */
  readonly judge?: Reader | undefined;
  /** What is read before the pivot, after it, and after it without the summary. */
  readonly contexts: Readonly<Record<'full' | 'compacted' | 'tail', string>>;
}

/** Asks every question under every condition, one question a prompt. */
export async function askProbes(
  probes: readonly Probe[],
  options: AskOptions,
): Promise<readonly ProbeResult[]> {
  const left = indexText(options.contexts.compacted);
  const results: ProbeResult[] = [];
  for (const probe of probes) {
    const ask = (condition: Condition) => askOne(probe, condition, options);
    const { id, kind, accepted, refused } = probe;
    const wanted = kind === 'compliance' ? refused : accepted;
    results.push({
      id,
      kind,
      answers: {
        none: await ask('none'),
        oracle: await ask('oracle'),
        full: await ask('full'),
        compacted: await ask('compacted'),
        tail: await ask('tail'),
      },
      isLeft: wanted.some((value) => stands(left, value)),
    });
  }
  return results;
}

async function askOne(
  probe: Probe,
  condition: Condition,
  { reader, judge, contexts }: AskOptions,
): Promise<DecidedAnswer> {
  const context = contextOf(probe, condition, contexts);
  const { id, question, accepted } = probe;
  const answer = await reader.answer({ system: READER_SYSTEM, context, question });
  const state = scoreAnswer(probe, answer);
  const isAbstained = state === 'abstained';
  if (state !== 'undecided') return { isRight: state === 'right', isAbstained, by: 'rule' };
  if (judge === undefined) return { isRight: false, isAbstained, by: 'rule' };
  const [expected = ''] = accepted;
  const judged = await judgeAnswer(judge, { id, question, expected, answer });
  return { isRight: judged.recalled && judged.accurate, isAbstained, by: 'judge' };
}

function contextOf(
  { evidence }: Probe,
  condition: Condition,
  contexts: AskOptions['contexts'],
): string {
  if (condition === 'none') return '';
  return condition === 'oracle' ? evidence : contexts[condition];
}
