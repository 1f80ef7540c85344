import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { instructions, type Policy, systemPrompts } from '../engine/index.ts';
import { HarnessError } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';
import type { SummarizerHouse } from '../simulator/summarizer/open.ts';
import type { SummaryArm, SummaryPrompt } from '../simulator/sweep/summarizers/arm.ts';
import { hashOf } from '../simulator/sweep/summarizers/scenario.ts';

/** Which arms a command line names. */
export interface ArmOptions {
  readonly summarizers: readonly string[];
  /** Files of instructions; none is the policy's own. */
  readonly prompts: readonly string[];
  /** A file that is added to each instruction. */
  readonly context?: string | undefined;
}

const POLICY_PROMPT = 'policy';

/** Every summarizer with every prompt, in that order. */
export function planArms(
  options: ArmOptions,
  policy: Policy,
  house: SummarizerHouse,
): readonly SummaryArm[] {
  const prompts = planPrompts(options, policy);
  return listed(options.summarizers).flatMap((name) => {
    const summarizer = house.find(name);
    const summaryModel = house.profileOf(name);
    return prompts.map((prompt) => ({ summarizer, summaryModel, prompt }));
  });
}

/** The single names of lists with commas, each once. */
export function listed(lists: readonly string[]): readonly string[] {
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

function planPrompts(
  { prompts: given, context: contextFile }: ArmOptions,
  { summary }: Policy,
): readonly SummaryPrompt[] {
  const system = summary.systemText ?? systemPrompts[summary.systemPrompt];
  const context = contextFile === undefined ? undefined : readText(contextFile);
  const toPrompt = (name: string, instruction?: string): SummaryPrompt => ({
    name,
    hash: hashOf({
      system,
      instruction: instruction ?? instructions[summary.instruction],
      context: context ?? '',
    }),
    instruction,
    context,
  });
  const files = listed(given);
  if (files.length === 0) return [toPrompt(POLICY_PROMPT)];
  return files.map((file) =>
    file === POLICY_PROMPT ? toPrompt(POLICY_PROMPT) : toPrompt(nameOf(file), readText(file)),
  );
}

function nameOf(file: string): string {
  return basename(file, extname(file));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new HarnessError(
      'UNREADABLE',
      `Expected a prompt in ${quoted(file)}, got none that can be read.`,
      { cause: error },
    );
  }
}
