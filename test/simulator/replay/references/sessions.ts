import { type AssistantMessage, type ToolPart } from '../../../../src/engine/index.ts';
import type { Reference } from '../../../../src/simulator/replay/references/reference.ts';
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

/** A reference in short: step, kind, and the part that it needs. */
export function shown({ step: at, kind, source }: Reference): string {
  return `${at} ${kind} ${source.partId} ${source.side}`;
}
