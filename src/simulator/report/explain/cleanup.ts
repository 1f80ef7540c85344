import type { CleanupExplanation, CleanupName, Part } from '../../../engine/index.ts';
import { shownText } from '../shown-text.ts';
import { formatTokens } from './terms.ts';

/** Why a clean-up clears what it clears. */
const REASONS: Readonly<Record<CleanupName, string>> = {
  duplicates: 'the same call was made again',
  superseded: 'the file was read since',
  'failed-inputs': 'the call failed long ago',
  media: 'seen long ago',
  reasoning: 'thought long ago',
};

/** What a clean-up cleared, a line each. */
export function renderCleanup({
  pass,
  estimatedTokens,
  parts,
}: CleanupExplanation): readonly string[] {
  const title = `clean-up ${pass}: ${parts.length} cleared, ${formatTokens(estimatedTokens)} tokens (as the policy estimates)`;
  return [title, ...parts.map((part) => `  ${nameOf(part)}  cleared: ${REASONS[pass]}`)];
}

/** A clean-up as plain data without texts. */
export function toPlainCleanup({ parts, ...cleanup }: CleanupExplanation) {
  return { ...cleanup, parts: parts.map(({ id, type }) => ({ partId: id, type })) };
}

function nameOf(part: Part): string {
  return `${shownText(part.type === 'tool' ? part.tool : part.type)} ${shownText(part.id)}`;
}
