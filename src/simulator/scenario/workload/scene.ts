import type { Draw } from './draw.ts';
import type { Project } from './project/project.ts';
import type { CallPlan } from './plan.ts';
import type { Language, Workload } from './workload.ts';

/** A session while it is written. */
export interface Scene {
  readonly workload: Workload;
  readonly draw: Draw;
  readonly project: Project;
  readonly language: Language;
  /** Errors that come up again and again until somebody solves them. */
  readonly problems: readonly string[];
  readonly tasks: Task[];
  /** Content so far, in tokens of four characters. */
  position: number;
  readonly reads: ReadBudget;
  /** What calls gave, by tool, so that they can be repeated. */
  readonly made: Map<string, MadeCall[]>;
}

/** Reads that are still to come, and how many of them are to be of files that were read before. */
export interface ReadBudget {
  left: number;
  repeats: number;
}

/** An entry of the list of tasks. */
export interface Task {
  readonly title: string;
  state: 'pending' | 'in_progress' | 'completed';
}

/** What a call was given and gave. */
export interface MadeCall {
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: string;
  /** Whether it would give the same again; absent where nothing changes it. */
  readonly isCurrent?: () => boolean;
}

/** Makes the calls of one kind of tools. */
export type MakeCall = (scene: Scene, call: CallPlan) => MadeCall;

/** A path as the agent gives it to tools. */
export function shownPath({ project, workload }: Scene, path: string): string {
  return workload.style.hasAbsolutePaths ? `${project.root}/${path}` : path;
}

/** Characters that are left for a text in arguments that are to have that many as JSON. */
export function roomBeside(characters: number, input: object): number {
  return Math.max(1, characters - JSON.stringify(input).length);
}
