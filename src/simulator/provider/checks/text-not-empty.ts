import type { RequestCheck, RequestMessage } from './check.ts';

/** Every text says something. */
export const textNotEmpty: RequestCheck = {
  describes: 'No text is empty, no message has only blank text, and no user message lacks content',
  source: 'claude-code#59812, claude-code#23440: Anthropic, Messages API',
  scope: 'message',
  start: () => ({ next: findNothingSaid }),
};

function findNothingSaid({ role, content }: RequestMessage): string | undefined {
  if (role === 'user' && content.length === 0) return 'has no content';
  if (content.some((part) => part.type === 'text' && part.text === '')) return 'has an empty text';
  const isBlank = content.every((part) => part.type === 'text' && part.text.trim() === '');
  return content.length > 0 && isBlank ? 'has only blank text' : undefined;
}
