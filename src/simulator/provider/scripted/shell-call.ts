/** A call of one of the agent's own tools, whatever its name and parameters are. */

import type { OfferedTool } from './request.ts';

interface WantedOutput {
  readonly mark: string;
  readonly chars: number;
}

const SHELL_NAMES = [
  /^(?:bash|shell|exec_command|run_shell_command|execute_command|run_commands?)$/i,
  /bash|shell|command|exec|terminal/i,
];
const SKILL_NAME = /skill/i;
const SKILL_KEY = /name|skill/i;
/** The skill that is asked for; whoever runs the agent puts it in its place. */
export const SKILL = 'printing-numbers';
/** Several commands, each of which is run by itself; a list under another name is one command with its arguments. */
const COMMAND_LIST = 'commands';
const COMMAND_KEYS = ['command', 'cmd', COMMAND_LIST, 'script'];
/** Of each line, with its end: long enough that no agent cuts an output for its number of lines. */
export const LINE_CHARS = 40;
const TIMEOUT_MS = 30_000;

/** A call that prints the output; `undefined` where no tool is a shell. */
export function createShellCall(
  tools: readonly OfferedTool[],
  { mark, chars }: WantedOutput,
): { readonly name: string; readonly input: object } | undefined {
  const tool = SHELL_NAMES.flatMap((name) => tools.filter((one) => name.test(one.name)))[0];
  if (tool === undefined) return undefined;
  const lines = Math.max(1, Math.round(chars / LINE_CHARS));
  const command = `echo ${mark}; seq -f %0${LINE_CHARS - 1}.0f 1 ${lines}`;
  return { name: tool.name, input: fill(tool.parameters, command) };
}

/** A call that loads the skill; `undefined` where no tool does so. */
export function createSkillCall(
  tools: readonly OfferedTool[],
): { readonly name: string; readonly input: object } | undefined {
  const tool = tools.find(({ name }) => SKILL_NAME.test(name));
  const key = tool && Object.keys(propertiesOf(tool.parameters)).find((one) => SKILL_KEY.test(one));
  return tool && key !== undefined ? { name: tool.name, input: { [key]: SKILL } } : undefined;
}

function propertiesOf(schema: Readonly<Record<string, unknown>>) {
  return (schema['properties'] ?? {}) as Record<string, Record<string, unknown>>;
}

function fill(schema: Readonly<Record<string, unknown>>, command: string): object {
  const properties = propertiesOf(schema);
  const required = new Set((schema['required'] ?? []) as string[]);
  const key = COMMAND_KEYS.find((name) => Object.hasOwn(properties, name)) ?? 'command';
  const values = Object.entries(properties).flatMap(([name, property]) => {
    if (name === key) return [[name, commandValue(name, property, command)] as const];
    return required.has(name) ? [[name, valueOf(property)] as const] : [];
  });
  return Object.fromEntries(values);
}

function commandValue(
  name: string,
  { type, anyOf }: Record<string, unknown>,
  command: string,
): unknown {
  const isList = type === 'array' || JSON.stringify(anyOf ?? '').includes('"array"');
  if (!isList) return command;
  return name === COMMAND_LIST ? [command] : ['bash', '-lc', command];
}

function valueOf({ type, enum: choices }: Record<string, unknown>): unknown {
  if (Array.isArray(choices)) return choices[0];
  const lowered = typeof type === 'string' ? type.toLowerCase() : '';
  if (lowered === 'boolean') return false;
  if (lowered === 'number' || lowered === 'integer') return TIMEOUT_MS;
  return 'prints lines';
}
