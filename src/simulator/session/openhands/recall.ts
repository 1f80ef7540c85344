import { isObject } from '../../lib/json.ts';
import { list } from '../reading/lenient.ts';
import type { HandsEvent } from './event.ts';

const TEXT_KEYS = [
  'repo_instructions',
  'additional_agent_instructions',
  'conversation_instructions',
];

/** What a recall put before the model: instructions of the repository, and knowledge that a word called up. */
export function recalledText({ extras }: HandsEvent): string {
  const texts = TEXT_KEYS.map((key) => extras[key]);
  const knowledge = list
    .parse(extras['microagent_knowledge'])
    .map((piece) => (isObject(piece) ? piece['content'] : undefined));
  return [...texts, ...knowledge]
    .filter((text) => typeof text === 'string' && text !== '')
    .join('\n\n');
}
