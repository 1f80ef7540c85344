/** What `read` is asked for; `offset` is the first line, counted from 1. */
export interface ReadInput {
  readonly filePath: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** One entry of a todo list. */
export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly priority: 'high' | 'medium' | 'low';
}

/** A tool with its input, for each tool that a scripted model may call. */
export type ToolRequest =
  | { readonly tool: 'read'; readonly input: ReadInput }
  | { readonly tool: 'grep'; readonly input: { readonly pattern: string; readonly path: string } }
  | { readonly tool: 'glob'; readonly input: { readonly pattern: string } }
  | { readonly tool: 'list'; readonly input: { readonly path: string } }
  | { readonly tool: 'bash'; readonly input: { readonly command: string } }
  | {
      readonly tool: 'write';
      readonly input: { readonly filePath: string; readonly content: string };
    }
  | {
      readonly tool: 'edit';
      readonly input: {
        readonly filePath: string;
        readonly oldString: string;
        readonly newString: string;
      };
    }
  | { readonly tool: 'todowrite'; readonly input: { readonly todos: readonly Todo[] } }
  | { readonly tool: 'skill'; readonly input: { readonly name: string } };

/** A tool call with what its author expects of it; a recording stops where that does not hold. */
export type CallScript = ToolRequest & {
  /** Whether the tool itself must refuse. */
  readonly fails?: true;
  /** The exit code that a command must have; absent means 0. */
  readonly exit?: number;
};

/** One model request: what the model thinks, says and calls. */
export interface StepScript {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls: readonly CallScript[];
}

/** A picture that a prompt carries. */
export interface ImageScript {
  readonly filename: string;
  readonly dataUrl: string;
}

/** A prompt with all steps that answer it. */
export interface TurnScript {
  readonly prompt: string;
  readonly image?: ImageScript;
  /** Minutes between the end of the turn before and the prompt. */
  readonly idleMinutes: number;
  readonly steps: readonly StepScript[];
}

/** One conversation, and the folder in which its tools run. */
export interface SessionScript {
  /** Name of the recorded file, without its ending. */
  readonly name: string;
  readonly title: string;
  /** Packages that the conversation may read, linked into its folder. */
  readonly packages: readonly string[];
  /** Files of the folder before the first turn, by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly turns: readonly TurnScript[];
}

const IDLE_MINUTES = 1;

/** A turn; its idle time is a minute unless told. */
export function turn(
  prompt: string,
  steps: readonly StepScript[],
  extra: { readonly idleMinutes?: number; readonly image?: ImageScript } = {},
): TurnScript {
  return { prompt, steps, idleMinutes: IDLE_MINUTES, ...extra };
}

/** A step in which the model says something, before its calls if there are any. */
export function say(text: string, ...calls: readonly CallScript[]): StepScript {
  return { text, calls };
}

/** A step in which the model only thinks before its calls. */
export function think(reasoning: string, ...calls: readonly CallScript[]): StepScript {
  return { reasoning, calls };
}

/** A step of calls alone. */
export function act(...calls: readonly CallScript[]): StepScript {
  return { calls };
}

/** A step in which the model thinks and then speaks. */
export function answer(reasoning: string, text: string): StepScript {
  return { reasoning, text, calls: [] };
}

/** A call of `read`, of the whole file or from a line on. */
export function read(filePath: string, offset?: number, limit?: number): CallScript {
  const range = { ...(offset && { offset }), ...(limit && { limit }) };
  return { tool: 'read', input: { filePath, ...range } };
}

/** A call of `grep`: a regular expression over a file or all files of a folder. */
export function grep(pattern: string, path: string): CallScript {
  return { tool: 'grep', input: { pattern, path } };
}

/** A call of `glob`. */
export function glob(pattern: string): CallScript {
  return { tool: 'glob', input: { pattern } };
}

/** A call of `list`. */
export function list(path: string): CallScript {
  return { tool: 'list', input: { path } };
}

/** A call of `bash` that must end with the exit code. */
export function bash(command: string, exit = 0): CallScript {
  return { tool: 'bash', input: { command }, exit };
}

/** A call of `write`. */
export function write(filePath: string, content: string): CallScript {
  return { tool: 'write', input: { filePath, content } };
}

/** A call of `edit`. */
export function edit(filePath: string, oldString: string, newString: string): CallScript {
  return { tool: 'edit', input: { filePath, oldString, newString } };
}

/** A call of `todowrite`, from task to status. */
export function todos(statuses: Readonly<Record<string, Todo['status']>>): CallScript {
  const entries = Object.entries(statuses).map(
    ([content, status]): Todo => ({ content, status, priority: 'medium' }),
  );
  return { tool: 'todowrite', input: { todos: entries } };
}

/** A call of `skill`. */
export function skill(name: string): CallScript {
  return { tool: 'skill', input: { name } };
}

/** The call, expected to be refused by its tool. */
export function failing(call: CallScript): CallScript {
  return { ...call, fails: true };
}
