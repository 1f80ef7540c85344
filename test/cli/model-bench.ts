import { main } from '../../src/cli/main.ts';
import { writeSession } from '../../src/simulator/session/formats/canonical-lines.ts';
import { askedHeadings } from '../../src/simulator/summarizer/summarizer.ts';
import { shippedScenarios } from '../../src/simulator/sweep/summarizers/inputs.ts';
import { type CapturedIoOptions, captureIo } from '../support/captured-io.ts';
import {
  type Deed,
  type Received,
  says,
  type Script,
  serverError,
} from '../support/model-server/script.ts';
import { createFinder, isQuestion } from '../support/loopback-reader.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { writeFile } from '../support/session-files.ts';

/** A key and a person's folder that nobody should ever find again. */
export const KEY = 'sk-canary-0123456789abcdef';
export const HOME = '/home/canary-of-nobody';
/** The model that the server stands for, by the catalog. */
export const MODEL = 'ai:openai/gpt-5-mini';
/** What needs no model, and little time. */
export const BASE = 'lead';
/** What says when to come back: at once. */
export const WAIT = { 'retry-after-ms': '1' };

const USAGE = { inputTokens: 4_000, outputTokens: 500 };
/** What a summary of this model costs by the shipped catalog, from its usage. */
export const COST_USD = (USAGE.inputTokens * 0.25 + USAGE.outputTokens * 2) / 1_000_000;
const MOST_SENTENCES = 20;
const findAnswer = createFinder([...shippedScenarios()].flatMap(({ facts = [] }) => facts));

/** Two sessions that say what is to be kept of them, as files in a folder. */
export function writeSessions(folder: string): readonly [string, string] {
  const [one, other] = [...shippedScenarios()]
    .slice(0, 2)
    .map((session, index) =>
      writeFile(folder, `planted-${index}.jsonl`, [...writeSession(session)].join('')),
    );
  return [one!, other!];
}

/** Answers as a summarizer and as a reader, by what it is asked. */
export function byPart(received: Received): Deed {
  return isQuestion(received) ? says(findAnswer(received)) : summary(textOf(received));
}

/** Summarises, and fails as a reader. */
export function muteReader(received: Received): Deed {
  return isQuestion(received) ? serverError : byPart(received);
}

/** Answers for five cents each. */
export function fiveCents(received: Received): Deed {
  return { ...byPart(received), usage: { inputTokens: 200_000, outputTokens: 0 } } as Deed;
}

/** The command, with a key. */
export async function summarizers(argv: readonly string[], options: CapturedIoOptions = {}) {
  const io = captureIo({ env: { OPENAI_API_KEY: KEY, HOME }, ...options });
  const code = await main(['summarizers', ...argv], io);
  return { code, ...io.written };
}

/** The command with a model behind a server that acts by a script, and what it was asked. */
export async function against(
  server: ModelServer,
  script: Script,
  { argv, options }: { readonly argv: readonly string[]; readonly options?: CapturedIoOptions },
) {
  server.play(script);
  const before = server.received.length;
  const way = ['--summarizers', `${BASE},${MODEL}`, '--base-url', server.url];
  const found = await summarizers([...way, '--format', 'json', ...argv], options);
  return { ...found, requests: server.received.length - before };
}

/** The arm of a summarizer in a JSON report. */
export function armOf(json: string, name = MODEL) {
  const { arms } = JSON.parse(json);
  return arms.find(({ summarizer }: { summarizer: string }) => summarizer === name);
}

/** All that a request says. */
export function textOf({ body }: Received): string {
  return JSON.stringify(body['messages'] ?? body['input']);
}

/** Sentences with ids, under the headings, with what nobody should ever find in a recording. */
function summary(asked: string): Deed {
  const text = asked.replaceAll('\\n', '\n');
  const sentences = text.match(/[^.\n]*\b[a-z]{2,4}-[0-9a-z]{6,}\b[^.\n]*/g) ?? [];
  const kept = [...new Set(sentences)].slice(0, MOST_SENTENCES);
  const lines = [...kept, `Key ${KEY}, file ${HOME}/notes.md`];
  const [heading = '## Goal'] = askedHeadings(text);
  return says([heading, ...lines.map((line) => `- ${line}`)].join('\n'), { usage: USAGE });
}
