import { type Limits } from './state.ts';
import { type Arithmetic, inTokens } from './term.ts';

/** Tokens that an answer may take: the model's own limit under the product's cap, or the cap where none is declared. */
export function outputReserve(limits: Limits, outputCapTokens: number): number {
  return reserveOutput(limits, outputCapTokens, inTokens);
}

/** The output reserve in any arithmetic: as tokens, or as a term that says how it came about. */
export function reserveOutput<Amount>(
  { outputTokens }: Limits,
  outputCapTokens: number,
  { least, value }: Arithmetic<Amount>,
): Amount {
  const cap = value('cap', outputCapTokens);
  return least(outputTokens ? [value('declared output', outputTokens), cap] : [cap], 'output');
}
