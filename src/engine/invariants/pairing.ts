import type { ModelMessage } from '../render.ts';

/**
 * What is wrong with the calls and results of some model messages that stand on their own. `isUsed` is
 * asked once for each call, and says whether its id has been used before.
 */
export function pairingProblems(
  sent: readonly ModelMessage[],
  isUsed: (callId: string) => boolean,
): readonly string[] {
  const open = new Set<string>();
  const problems: string[] = [];
  for (const content of sent.flatMap((message) => message.content)) {
    if (content.type === 'tool-call') {
      if (isUsed(content.callId)) problems.push('a call id is used twice');
      open.add(content.callId);
    }
    if (content.type === 'tool-result' && !open.delete(content.callId)) {
      problems.push('a result has no call before it');
    }
  }
  return open.size === 0 ? problems : [...problems, 'a call has no result'];
}
