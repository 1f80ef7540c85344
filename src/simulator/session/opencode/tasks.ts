import { isObject } from '../../lib/json.ts';
import type { Fields } from './gather.ts';

/** The id of the session that a part started as a task; `undefined` where it started none. */
export function startedBy({ tool, state }: Fields): string | undefined {
  const metadata = tool === 'task' && isObject(state) ? state['metadata'] : undefined;
  const id = isObject(metadata) ? metadata['sessionId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
