/** Reads texts of YAML that people write: one document of plain keys, whose anchors are used, but not without end. */

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
} from 'yaml';
import { messageOf } from '../../errors.ts';
import { cutText, quoted } from '../../names.ts';
import { createPlaces, isMergeKey, type Places, type Problem } from './places.ts';

/** What a text of YAML comes to. */
export type YamlResult =
  | { readonly state: 'read'; readonly value: unknown; readonly places: Places }
  | { readonly state: 'broken'; readonly problems: readonly Problem[]; readonly cause: unknown };

/** Times that anchors may be used, with everything that they hold. */
const MAX_ALIASES = 100;
/** Problems that an error tells before it leaves out the others. */
export const SHOWN_PROBLEMS = 5;
/** Longest that the words of the parser get. */
const MOST_CHARACTERS = 200;
const BAD_KEY = 'Expected a key to be text, got a list, a map or an alias.';
const BAD_MERGE = "Expected '<<' to be a map, an alias of one before it, or a list of these.";

/** The value of a text, with the places of its pieces; `file` is its name in problems. */
export function readYaml(file: string, text: string): YamlResult {
  const lines = new LineCounter();
  const document = tryTo(() =>
    parseDocument(text, {
      lineCounter: lines,
      logLevel: 'error',
      prettyErrors: false,
      merge: true,
    }),
  );
  if (document instanceof Error) return broken(file, document, 'Expected YAML');
  const places = createPlaces(file, document, lines);
  const problems = [...syntaxProblems(document, places), ...keyProblems(document, places)];
  if (problems.length > 0) {
    const shown = problems.slice(0, SHOWN_PROBLEMS);
    return { state: 'broken', problems: shown, cause: document.errors[0] };
  }
  const value = tryTo((): unknown => document.toJS({ maxAliasCount: MAX_ALIASES }));
  if (!(value instanceof Error)) return { state: 'read', value, places };
  return broken(file, value, `Expected anchors before their uses, at most ${MAX_ALIASES} of these`);
}

/** A text that is nested too deep makes the parser throw. */
function tryTo<Value>(read: () => Value): Value | Error {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What is wrong with a text as a whole. */
function broken(file: string, cause: Error, expected: string): YamlResult {
  const message = `${expected}, got ${quoted(messageOf(cause))}.`;
  return { state: 'broken', problems: [{ file, at: { line: 1, column: 1 }, message }], cause };
}

function syntaxProblems({ errors, warnings }: Document, places: Places): readonly Problem[] {
  return [...errors, ...warnings].map((problem) => ({
    file: places.file,
    at: places.ofNode({ range: problem.pos }),
    message: describeBroken(problem),
  }));
}

/** The parser repeats a whole line, which may be all of a file that is no text; its words on several documents are for those who call it. */
function describeBroken({ code, message }: Document['errors' | 'warnings'][number]): string {
  if (code === 'MULTIPLE_DOCS') return 'Expected one YAML document per file, got another.';
  return `Expected YAML: ${cutText(message, MOST_CHARACTERS).replace(/\.?$/, '.')}`;
}

function keyProblems(document: Document, places: Places): readonly Problem[] {
  const problems: Problem[] = [];
  const { file } = places;
  visit(document, {
    Pair(_, pair) {
      const { key } = pair;
      if (!isScalar(key)) problems.push({ file, at: places.ofNode(key), message: BAD_KEY });
      else if (isMergeKey(key) && !isMergeable(pair, document))
        problems.push({ file, at: places.ofNode(key), message: BAD_MERGE });
    },
  });
  return problems;
}

function isMergeable({ value }: Pair, document: Document): boolean {
  const sources = isSeq(value) ? value.items : [value];
  return sources.every((source) => isMap(isAlias(source) ? source.resolve(document) : source));
}
