import { badOption, type HarnessError } from '../../simulator/errors.ts';
import { quoted } from '../../simulator/names.ts';
import { countOf, formatCount, formatUsd } from '../../simulator/report/numbers.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import { fitProse } from '../../simulator/report/wrap-prose.ts';
import type { Estimate } from '../../simulator/summarizer/model/dry-run.ts';
import type { SummarizerRegistry } from '../../simulator/summarizer/open.ts';
import { NANO_USD_PER_USD } from '../../simulator/units.ts';
import { type CliIo, terminalOf } from '../process/io.ts';
import { printNote } from '../process/output.ts';

/** Who knows what real models cost. */
export interface SpentMoney {
  spentNanoUsd(): number;
  /** The most that requests may have cost which were never answered; nobody knows where it is absent. */
  unansweredNanoUsd?(): number;
  /** What it was spent on; summaries where it is absent. */
  readonly spentOn?: string | undefined;
}

/** Prints what a dry run came to, a line for each model. Throws where no real model was named. */
export function printEstimates(
  io: CliIo,
  { estimates }: Pick<SummarizerRegistry, 'estimates'>,
  named: string,
): void {
  const lines = [...estimates()].map(([name, estimate]) => `${shownText(name)}: ${told(estimate)}`);
  if (lines.length === 0) throw noModel(named);
  const text = ['Dry run: no model was asked.', ...lines].join('\n');
  io.stdout.write(`${fitProse(text, terminalOf(io))}\n`);
}

/** The error of a dry run in which nobody would be asked. */
export function noModel(named: string): HarnessError {
  return badOption(
    `Expected '--dry-run' with a real model, such as 'ai:openai/gpt-5-mini', got ${quoted(named)}.`,
  );
}

/** Does something, and says in the end what it cost, also where it came to no good one. */
export async function withSpent<Result>(
  money: SpentMoney | undefined,
  io: CliIo,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } finally {
    if (money !== undefined) printSpent(io, money);
  }
}

/** Says on standard error what real models cost, where one was asked. */
export function printSpent(io: CliIo, money: SpentMoney): void {
  const spent = describeSpent(money);
  if (spent !== undefined) printNote(io, spent);
}

/** What real models cost, in a sentence; nothing where none was asked. */
function describeSpent(money: SpentMoney): string | undefined {
  const spent = money.spentNanoUsd();
  const unanswered = money.unansweredNanoUsd?.() ?? 0;
  if (spent + unanswered === 0) return undefined;
  const more =
    unanswered === 0
      ? ''
      : `, and up to ${toUsd(unanswered)} for requests that were never answered`;
  return `Spent on ${money.spentOn ?? 'summaries'}: ${toUsd(spent)}${more}.`;
}

function told({ requests, inputTokens, outputTokens, likelyNanoUsd, mostNanoUsd }: Estimate) {
  const size = `${countOf(requests, 'request')}, ${formatCount(inputTokens)} tokens in, about ${formatCount(outputTokens)} out`;
  if (likelyNanoUsd === undefined) return `${size}; its price is unknown.`;
  return `${size}: about ${toUsd(likelyNanoUsd)}, at most ${toUsd(mostNanoUsd)}.`;
}

function toUsd(nanoUsd: number | undefined): string {
  return formatUsd(nanoUsd === undefined ? null : nanoUsd / NANO_USD_PER_USD);
}
