import { canonicalJson, type FilePart, type Part, type ToolPart } from '../../../engine/index.ts';
import { outputOf } from '../../session/tool-calls.ts';

/** What was said in a part, or called: its text, or every text among the arguments. */
export function saidTexts(part: Part): readonly string[] {
  if (part.type === 'text') return part.ignored === true ? [] : [part.text];
  return part.type === 'tool' ? textsIn(part.state.input) : [];
}

/** Whether two calls gave the same texts and the same attachments. */
export function givesSame(one: Part, other: Part): boolean {
  if (one.type !== 'tool' || other.type !== 'tool') return false;
  const [files, otherFiles] = [attachmentsOf(one), attachmentsOf(other)];
  return (
    outputOf(one) === outputOf(other) &&
    files.length === otherFiles.length &&
    files.every(({ mime, url }, at) => otherFiles[at]?.mime === mime && otherFiles[at]?.url === url)
  );
}

/** The name of a call: its tool and its arguments, whatever the order of their keys. */
export function callKey({ tool, state }: ToolPart): string {
  return `${tool} ${canonicalJson(state.input)}`;
}

function attachmentsOf({ state }: ToolPart): readonly FilePart[] {
  return state.status === 'completed' ? (state.attachments ?? []) : [];
}

/** Every text in a value of unknown shape, however deep. */
function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') texts.push(next);
    if (typeof next === 'object' && next !== null) {
      for (const inner of Object.values(next)) open.push(inner);
    }
  }
  return texts;
}
