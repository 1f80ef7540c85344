import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Todo } from '../script.ts';
import type { Workspace } from '../workspace.ts';
import { failure, type ToolOutcome } from './outcome.ts';

/** The todo list as it now stands. */
export function todoTool(input: { readonly todos: readonly Todo[] }): ToolOutcome {
  const open = input.todos.filter((todo) => todo.status !== 'completed').length;
  const output = JSON.stringify(input.todos, null, 2);
  return {
    state: 'completed',
    title: `${open} todos`,
    output,
    metadata: { todos: input.todos },
  };
}

/** The instructions of a skill of the project. */
export function skillTool(input: { readonly name: string }, workspace: Workspace): ToolOutcome {
  const folder = `skills/${input.name}`;
  const path = join(workspace.root, folder, 'SKILL.md');
  if (!existsSync(path)) return failure(`Skill "${input.name}" not found.`);
  const output = `## Skill: ${input.name}\n\nFolder: ${folder}\n\n${readFileSync(path, 'utf8')}`;
  const metadata = { name: input.name, dir: folder };
  return { state: 'completed', title: `Loaded skill: ${input.name}`, output, metadata };
}
