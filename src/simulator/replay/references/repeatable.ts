import {
  CREATING_TOOLS,
  EDITING_TOOLS,
  isCompleted,
  type Part,
  plainToolName,
} from '../../../engine/index.ts';
import type { FileTouch } from '../../session/shell.ts';
import { isChange } from '../../summarizer/extractive/touches.ts';

/** Plain names of tools whose calls do something rather than tell something: made again, they do it again. */
const ACTING_TOOLS: ReadonlySet<string> = new Set([
  ...CREATING_TOOLS,
  ...EDITING_TOOLS,
  'applypatch',
  'task',
  'agent',
  'newtask',
  'spawnagent',
  'waitagent',
  'taskcreate',
  'taskupdate',
  'todowrite',
  'writetodos',
  'updateplan',
  'writestdin',
  'savememory',
  'question',
  'askuserquestion',
  'askfollowupquestion',
  'attemptcompletion',
  'exitplanmode',
  'finish',
  'submit',
]);

/** Whether the same call, made again, gives back what it gave: it was answered, and does nothing but tell. */
export function isRepeatable(part: Part, touches: readonly FileTouch[]): boolean {
  if (!isCompleted(part) || touches.some(isChange)) return false;
  return !ACTING_TOOLS.has(plainToolName(part.tool));
}
