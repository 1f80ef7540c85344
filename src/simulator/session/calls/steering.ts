/** Words by which calls say what they do to files, and where they stand. */

import { findPatchMarks, isBarePatch, PATCH_MARKS, PATCH_PROGRAM } from './patch.ts';
import { findShellSteering, SHELL_VERBS } from './shell-steering.ts';
import type { Span } from './span.ts';
import { COMMAND_KEYS, COMMANDS_KEY, EDITOR_VERBS, hasScript, PATCH_KEYS } from './tool-calls.ts';

/** Switches of a shell before its script. */
const SCRIPT_SWITCH = /^-[eilux]{0,4}c$/;

const PATCH_PROGRAM_PLACE = wholeOf(PATCH_PROGRAM);

/** Names of arguments that may hold words that steer. */
export const STEERED_KEYS: readonly string[] = [
  ...new Set([...COMMAND_KEYS, COMMANDS_KEY, ...PATCH_KEYS]),
];

/** All words that steer, but for switches. */
export const STEERING_WORDS: readonly string[] = [...SHELL_VERBS, ...EDITOR_VERBS, ...PATCH_MARKS];

/** Where the words stand in an argument, in order; without a name, the text is all that a call is given. */
export function findSteering(text: string, key?: string): readonly Span[] {
  const marks = findPatchMarks(text);
  if (key !== COMMANDS_KEY && !COMMAND_KEYS.includes(key ?? '')) return marks;
  if (EDITOR_VERBS.includes(text)) return [wholeOf(text)];
  return inOrder([...marks, ...inCommand(text)]);
}

/** Where they stand in each text of a list, in order: in each of several commands, or of the words of one. */
export function findSteeringInList(
  texts: readonly string[],
  key: string,
): readonly (readonly Span[])[] {
  return key === COMMANDS_KEY ? texts.map((text) => findSteering(text, key)) : inWords(texts);
}

function inWords(words: readonly string[]): readonly (readonly Span[])[] {
  const spans = hasScript(words) ? inScript(words) : inJoined(words);
  return words.map((word, index) => inOrder([...findPatchMarks(word), ...(spans[index] ?? [])]));
}

/** The words after the script's switch are none of the command. */
function inScript(words: readonly string[]): readonly (readonly Span[])[] {
  return words.map((word, index) => {
    if (index === words.length - 1) return inCommand(word);
    const isSwitch = index === words.length - 2 && SCRIPT_SWITCH.test(word);
    return isSwitch ? [wholeOf(word)] : [];
  });
}

function inJoined(words: readonly string[]): readonly (readonly Span[])[] {
  const spans = inCommand(words.join(' '));
  let wordStart = 0;
  return words.map(({ length }) => {
    const [start, end] = [wordStart, wordStart + length];
    wordStart = end + 1;
    return spans
      .filter((span) => span.start >= start && span.end <= end)
      .map((span) => ({ start: span.start - start, end: span.end - start }));
  });
}

function inCommand(command: string): readonly Span[] {
  return isBarePatch(command) ? [PATCH_PROGRAM_PLACE] : findShellSteering(command);
}

function wholeOf({ length }: string): Span {
  return { start: 0, end: length };
}

function inOrder(spans: readonly Span[]): readonly Span[] {
  return spans.toSorted((left, right) => left.start - right.start);
}
