import { basename, extname } from 'node:path';
import { instructions, type Policy, systemPrompts } from '../../engine/index.ts';
import { HarnessError } from '../../simulator/errors.ts';
import { quoted } from '../../simulator/names.ts';
import { readTextFile } from '../../simulator/text-file.ts';
import type { SummarizerRegistry } from '../../simulator/summarizer/open.ts';
import type { SummaryArm, SummaryPrompt } from '../../simulator/sweep/summarizers/arm.ts';
import { summaryHash } from '../../simulator/sweep/summarizers/scenario.ts';

/** Which arms a command line names. */
export interface ArmOptions {
  /** By name, one at least. */
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
  registry: SummarizerRegistry,
): readonly SummaryArm[] {
  const prompts = planPrompts(options, policy);
  return options.summarizers.flatMap((name) => {
    const summarizer = registry.find(name);
    const summaryModel = registry.profileOf(name);
    return prompts.map((prompt) => ({ summarizer, summaryModel, prompt }));
  });
}

function planPrompts(
  { prompts: files, context: contextFile }: ArmOptions,
  { summary }: Policy,
): readonly SummaryPrompt[] {
  const system = summary.systemText ?? systemPrompts[summary.systemPrompt];
  const context = contextFile === undefined ? undefined : readText(contextFile);
  const toPrompt = (name: string, instruction?: string): SummaryPrompt => ({
    name,
    hash: summaryHash({
      system,
      instruction: instruction ?? instructions[summary.instruction],
      context: context ?? '',
    }),
    instruction,
    context,
  });
  if (files.length === 0) return [toPrompt(POLICY_PROMPT)];
  const names = [...files.filter((file) => file === POLICY_PROMPT), ...files.map(shortName)];
  const isUnique = (name: string) => names.filter((other) => other === name).length === 1;
  return files.map((file) => {
    if (file === POLICY_PROMPT) return toPrompt(POLICY_PROMPT);
    const name = shortName(file);
    return toPrompt(isUnique(name) ? name : file, readText(file));
  });
}

/** Without folder and extension; of the policy's own there is none. */
function shortName(file: string): string {
  return file === POLICY_PROMPT ? '' : basename(file, extname(file));
}

function readText(file: string): string {
  const unreadable = (got: string, cause?: unknown) =>
    new HarnessError('UNREADABLE', `Expected a prompt in ${quoted(file)}, got ${got}.`, { cause });
  const text = readTextFile(file, unreadable).trim();
  if (text === '') throw unreadable('an empty file');
  return text;
}
