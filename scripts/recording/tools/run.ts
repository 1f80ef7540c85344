import type { CallScript } from '../script.ts';
import type { Workspace } from '../workspace.ts';
import { editTool, readTool, writeTool } from './files.ts';
import { skillTool, todoTool } from './notes.ts';
import type { ToolOutcome } from './outcome.ts';
import { globTool, grepTool, listTool } from './search.ts';
import { bashTool } from './shell.ts';

/** What the called tool gave back. Throws where that is not what the script expects. */
export function runTool(call: CallScript, workspace: Workspace): ToolOutcome {
  const outcome = dispatch(call, workspace);
  const expected = call.fails ? 'error' : 'completed';
  if (outcome.state !== expected) throw unexpected(call, outcome);
  if (outcome.state === 'completed' && call.tool === 'bash' && outcome.metadata.exit !== call.exit)
    throw unexpected(call, outcome);
  return outcome;
}

function dispatch(call: CallScript, workspace: Workspace): ToolOutcome {
  switch (call.tool) {
    case 'read':
      return readTool(call.input, workspace);
    case 'grep':
      return grepTool(call.input, workspace);
    case 'glob':
      return globTool(call.input, workspace);
    case 'list':
      return listTool(call.input, workspace);
    case 'bash':
      return bashTool(call.input, workspace);
    case 'write':
      return writeTool(call.input, workspace);
    case 'edit':
      return editTool(call.input, workspace);
    case 'todowrite':
      return todoTool(call.input);
    case 'skill':
      return skillTool(call.input, workspace);
  }
}

function unexpected(call: CallScript, outcome: ToolOutcome): Error {
  const asked = JSON.stringify({ tool: call.tool, input: call.input, exit: call.exit });
  const came = JSON.stringify(outcome, null, 1);
  return new Error(`Expected ${asked} to ${call.fails ? 'fail' : 'succeed'}, got ${came}.`);
}
