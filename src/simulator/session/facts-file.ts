/** Facts that a user states in a file of JSON or YAML. */

import { isSeq, LineCounter, type Node, parse, parseDocument } from 'yaml';
import * as z from 'zod';
import { known } from '../lib/collections.ts';
import { HarnessError, messageOf } from '../lib/errors.ts';
import { readTextFile } from '../lib/files.ts';
import { describeMismatch, parseJson, placeOfIssue } from '../lib/json.ts';
import { quoted, quotedLong } from '../lib/names.ts';
import { FACT_KINDS, factShape, type PlantedFact, TODO_STATES } from './facts.ts';

const Text = z.string().trim().min(1, 'expected a string that is not empty');

const StatedFact = z
  .strictObject({
    kind: z.enum(FACT_KINDS),
    subject: z.string().trim(),
    value: Text,
    polarity: z.enum(['do', 'dont']),
    sentence: Text.optional(),
    aliases: z.array(Text).optional(),
    previous: Text.optional(),
    todoState: z.enum(TODO_STATES).optional(),
  })
  .refine(({ value, previous }) => value !== previous, {
    path: ['previous'],
    message: 'expected another value than the one that replaced it',
  });

const FactsFile = z.array(StatedFact).min(1, 'expected at least one fact');
const PlantedFacts = z.object({ facts: z.array(z.object(factShape)).min(1) });

type StatedFact = z.infer<typeof StatedFact>;

/** A fact that the user states is to be kept, wherever a session says it. */
const STATED = { criticality: 'must', source: 'user', step: 1, posPct: 0, neededAt: [] } as const;

/** Reads the facts of a user's file, each after the value that it replaced, or those of a generated session. Throws `HarnessError`. */
export function readFacts(file: string): readonly PlantedFact[] {
  const text = readTextFile(file, (reason, cause) => badFacts(file, `got ${reason}`, cause));
  const parsed = parseFacts(file, text);
  const planted = PlantedFacts.safeParse(parsed);
  if (planted.success) return planted.data.facts;
  const { data, error } = FactsFile.safeParse(parsed, { reportInput: true });
  if (data !== undefined) return data.flatMap(toPlanted);
  const [issue] = error.issues;
  if (issue === undefined) throw badFacts(file, 'got something else', error);
  const place = `${placeOfIssue(issue)}${lineOf(text, issue.path[0])}`;
  throw badFacts(file, `but at ${place}: ${describeMismatch(issue)}`, error);
}

/** Every scalar of YAML is a string, so that `0.50` keeps its zero. */
function parseFacts(file: string, text: string): unknown {
  try {
    return parseJson(text) ?? parse(text, { schema: 'failsafe' });
  } catch (error) {
    throw badFacts(file, `but it is neither JSON nor YAML: ${quoted(messageOf(error))}`, error);
  }
}

function toPlanted(stated: StatedFact, index: number): readonly PlantedFact[] {
  const { kind, subject, value, polarity, sentence, aliases, previous, todoState } = stated;
  const id = `fact-${index + 1}`;
  const common = { ...STATED, kind, subject, polarity };
  const replaced = { ...common, id: `${id}-previous`, value: previous ?? '' };
  const fact = { ...common, id, value, ...known({ sentence, aliases, todoState }) };
  return previous === undefined ? [fact] : [replaced, { ...fact, supersedes: replaced.id }];
}

/** The line where a fact begins, in brackets; empty for the file itself. */
function lineOf(text: string, index: PropertyKey | undefined): string {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines });
  const item = isSeq<Node>(contents) && typeof index === 'number' ? contents.items[index] : null;
  const offset = item?.range?.[0];
  return offset === undefined ? '' : ` (line ${lines.linePos(offset).line})`;
}

function badFacts(file: string, reason: string, cause?: unknown): HarnessError {
  const expected = `Expected ${quotedLong(file)} to be a list of facts`;
  return new HarnessError('BAD_FACTS', `${expected}, ${reason}.`, { cause });
}
