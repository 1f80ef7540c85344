import { type InstructionName } from '../policy.ts';
import { instructions } from './instructions.ts';

/** What is added to a request whose first answer had none of the headings. Own text. */
export const REMINDER =
  'Your last answer did not have the headings that were asked for. Write the summary again, under these headings.';

/** The headings that an instruction asks for, in order. */
export function headingsOf(instruction: InstructionName): readonly string[] {
  return instructions[instruction].split('\n').filter((line) => /^#{1,3} /.test(line));
}

/** Whether an instruction asks for headings and a summary has none of them. */
export function missesHeadings(summary: string, instruction: InstructionName): boolean {
  const headings = headingsOf(instruction);
  const lines = new Set(summary.split('\n').map((line) => line.trim()));
  return headings.length > 0 && !headings.some((heading) => lines.has(heading));
}
