import type { CountTerm, Inaction, Term, UsageKind } from '../../../engine/index.ts';
import { formatCount } from '../numbers.ts';

const KIND_NAMES: Readonly<Record<UsageKind, string>> = {
  input: 'input',
  output: 'output',
  reasoning: 'reasoning',
  cacheRead: 'cache read',
  cacheWrite: 'cache write',
  total: 'the stored total',
};

/** Why nothing was done about an overflow, in words. */
export const INACTIONS: Readonly<Record<Inaction, string>> = {
  'nothing-to-cut': 'nothing to summarise but what stays',
  'never-pivots': 'the policy never summarises',
  'nothing-to-move': 'nothing to move out but what stays',
};

/** A number of tokens and what it is made of: `usable 168,000 = context 200,000 − output 32,000`. */
export function renderTerm(name: string, term: Term): string {
  return `${name} ${formatTokens(term.tokens)} = ${renderParts(term)}`;
}

/** A count and the kinds of tokens in it; kinds without tokens are left out. */
export function renderCount(
  countTokens: number,
  counted: readonly CountTerm[],
  newerTokens: number,
): string {
  const kinds = counted
    .filter(({ tokens }) => tokens !== 0)
    .map(({ kind, tokens }) => `${KIND_NAMES[kind]} ${formatTokens(tokens)}`);
  const newer = newerTokens === 0 ? [] : [`newer, estimated ${formatTokens(newerTokens)}`];
  const parts = [...kinds, ...newer];
  const count = `count ${formatTokens(countTokens)}`;
  return parts.length === 0 ? count : `${count} = ${parts.join(' + ')}`;
}

/** Tokens with their thousands set apart; a fraction keeps one digit. */
export function formatTokens(tokens: number): string {
  const rounded = Math.round(tokens * 10) / 10;
  const [whole = '', fraction] = String(rounded).split('.');
  const shown = formatCount(Number(whole));
  const sign = rounded < 0 && Number(whole) === 0 ? '-' : '';
  return `${sign}${shown}${fraction === undefined ? '' : `.${fraction}`}`;
}

function renderParts(term: Term): string {
  switch (term.type) {
    case 'value':
      return `${term.name} ${formatTokens(term.tokens)}`;
    case 'difference':
      return `${renderParts(term.from)} − ${renderOperand(term.less)}`;
    case 'share':
      return `${term.share} × (${renderParts(term.of)})`;
    case 'least':
      return renderChoice(term, 'min');
    case 'most':
      return renderChoice(term, 'max');
  }
}

function renderOperand(term: Term): string {
  return term.type === 'difference' ? `(${renderParts(term)})` : renderParts(term);
}

function renderChoice(term: Term & { readonly type: 'least' | 'most' }, word: string): string {
  const choices = term.of.map(renderParts).join(' and ');
  if (term.name === undefined) return `${word} of (${choices})`;
  const named = `${term.name} ${formatTokens(term.tokens)}`;
  return term.of.length === 1 ? `${named} (${choices})` : `${named} (${word} of ${choices})`;
}
