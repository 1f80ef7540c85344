import { type AssistantMessage, type ToolPart } from '../../../../src/engine/index.ts';
import type { PlantedFact } from '../../../../src/simulator/session/facts.ts';
import { planted } from '../../../support/facts.ts';
import { step, text, tool } from '../../../support/history.ts';

/** A fact of a tool's output. */
export const fact = (overrides: Partial<PlantedFact>) =>
  planted({ subject: 'it', source: 'tool', posPct: 0, ...overrides });

/** A call with an input and what it gave. */
export function called(id: string, name: string, input: unknown, output: string): ToolPart {
  const part = tool(`${id}-${name}`, output, { tool: name });
  return { ...part, state: { status: 'completed', input, output } };
}

/** A step that reads a file. */
export const read = (id: string, path: string, output: string): AssistantMessage =>
  step(id, [called(id, 'read', { filePath: path }, output)], { finish: 'tool-calls' });

/** A step that writes a file. */
export const write = (id: string, path: string, content: string): AssistantMessage =>
  step(id, [called(id, 'write', { filePath: path, content }, 'ok')], { finish: 'tool-calls' });

/** A step that says something. */
export const say = (id: string, words: string): AssistantMessage =>
  step(id, [text(`${id}-said`, words)]);

/** A step that replaces a line of a file. */
export const edit = (id: string, path: string, oldString: string): AssistantMessage =>
  step(id, [called(id, 'edit', { filePath: path, oldString, newString: '' }, 'ok')], {
    finish: 'tool-calls',
  });
