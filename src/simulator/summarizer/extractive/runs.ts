import { perKey } from '../../../engine/internal.ts';
import { isLooking } from '../../session/shell.ts';
import { commandOf, pathsOf, visibleOutput } from '../../session/tool-calls.ts';
import { NO_TROUBLE, TROUBLE } from './cues.ts';
import type { Call, Head } from './head.ts';
import { toShortLine } from './plain-text.ts';

/** A call that ran a command, or one of any other tool that failed. */
export interface Run {
  /** The command in back-quotes, or the tool with its file. */
  readonly subject: string;
  readonly isCommand: boolean;
  readonly at: number;
  readonly isOk: boolean;
  /** Lines that tell what went wrong. */
  readonly troubles: readonly string[];
  /** The last line of the output. */
  readonly lastLine: string;
}

/** Where a command begins to say only what becomes of its output. */
const PLUMBING = /\s*(?:\d?>&\d|(?<!\|)\|(?!\|)).*/s;
const COMMAND_CHARS = 120;
const LINE_CHARS = 160;
/** Read of a huge output: that much of its beginning and that much of its end. */
const OUTPUT_WINDOW_CHARS = 8_000;
/** Lines of trouble taken from the beginning of an output; one more is taken from its end. */
const FIRST_TROUBLES = 2;

const runIn = perKey((part: Call['part']): Omit<Run, 'at'> => {
  const command = commandOf(part);
  const lines = linesOf(visibleOutput(part));
  const found = lines.filter((line) => TROUBLE.test(line) && !NO_TROUBLE.test(line));
  const isError = part.state.status === 'error';
  const troubles = isError && found.length === 0 ? lines.slice(0, 1) : pickTroubles(found);
  return {
    subject: command === undefined ? toolSubject(part) : `\`${quoteCommand(command)}\``,
    isCommand: command !== undefined,
    isOk: !isError && found.length === 0,
    troubles: troubles.map((line) => toShortLine(line, LINE_CHARS)),
    lastLine: toShortLine(lines.at(-1) ?? '', LINE_CHARS),
  };
});

/** What was run and how it went, oldest first. Commands that only look around count when they fail. */
export function readRuns(head: Head): readonly Run[] {
  return head.calls.filter(hasEnded).flatMap((call) => {
    const command = commandOf(call.part);
    const isQuiet = command === undefined || isLooking(command);
    if (isQuiet && call.part.state.status !== 'error') return [];
    return [{ at: call.at, ...runIn(call.part) }];
  });
}

/** What two runs of the same command have in common, however their outputs were cut. */
export function runKey(subject: string): string {
  return subject.replace(PLUMBING, '').replace(/`$/, '');
}

function hasEnded({ part }: Call): boolean {
  return part.state.status === 'completed' || part.state.status === 'error';
}

function toolSubject(part: Call['part']): string {
  return toShortLine([part.tool, ...pathsOf(part)].join(' '), COMMAND_CHARS);
}

/** Back-quotes inside would end the quotation early. */
function quoteCommand(command: string): string {
  return toShortLine(command, COMMAND_CHARS).replaceAll('`', "'");
}

function pickTroubles(found: readonly string[]): readonly string[] {
  return [...new Set([...found.slice(0, FIRST_TROUBLES), ...found.slice(-1)])];
}

function linesOf(output: string): readonly string[] {
  const window =
    output.length <= 2 * OUTPUT_WINDOW_CHARS
      ? output
      : `${output.slice(0, OUTPUT_WINDOW_CHARS)}\n${output.slice(-OUTPUT_WINDOW_CHARS)}`;
  return window.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
}
