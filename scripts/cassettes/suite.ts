import { join, resolve } from 'node:path';
import { planRun } from '../../src/cli/plan/plan.ts';
import { readCatalog } from '../../src/simulator/provider/catalog.ts';
import { surroundingsOf } from '../../src/simulator/replay/run-trace.ts';
import { openSummarizers } from '../../src/simulator/summarizer/open.ts';
import { askedHeadings } from '../../src/simulator/summarizer/summarizer.ts';
import { runFiles, type RunItem } from '../../src/simulator/sweep/run-files.ts';
import {
  type Deed,
  openAiOverflow,
  type Received,
  says,
} from '../../test/support/model-server/script.ts';
import { startModelServer } from '../../test/support/model-server/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The name that recordings of this suite have for the server that they were recorded against. */
export const RECORDED_AGAINST = 'loopback server of this project';
/** The model whose answers they are: none that anybody offers. */
export const SUITE_MODEL = 'ai:loopback/scripted';
/** Sessions that the suite is recorded over. */
export const SUITE_FILES: readonly string[] = [join(ROOT, 'scenarios/recorded/csv-format.json')];
/** The policies, settings, model and seed that the suite is run with. */
export const SUITE_OPTIONS = {
  policy: ['opencode-1.2.16,opencode-1.18'],
  set: ['contextTokens=60000', 'shrinkSummaryRequest=true'],
  model: 'anthropic/claude-sonnet-4-5',
  seed: '1',
} as const;

/** Larger requests are refused, so that the suite has an overflow too. */
const WINDOW_CHARACTERS = 80_000;
const CHARACTERS_PER_TOKEN = 4;
/** A head may end in headings of its own. */
const MOST_HEADINGS = 8;
/** When every answer comes: 2026-01-01. */
const STANDING_MS = 1_767_225_600_000;

/** Records the suite into a folder, from a server on this machine that answers by a script. */
export async function recordSuite(folder: string): Promise<readonly RunItem[]> {
  const server = await startModelServer(answerByScript);
  try {
    const registry = openSummarizers(
      {
        baseUrl: server.url,
        streams: false,
        timeoutMs: 60_000,
        retries: 0,
        concurrency: 1,
        isDryRun: false,
        cassette: folder,
        cassetteMode: 'record',
        recordedAgainst: RECORDED_AGAINST,
      },
      {
        environment: {},
        profiles: readCatalog().models,
        // Times that differ from one recording to the next would show as changes.
        clock: { now: () => STANDING_MS, after: () => () => undefined },
      },
    );
    const plan = planRun({ ...SUITE_OPTIONS, summarizer: 'extractive' }, {});
    const items: RunItem[] = [];
    const options = {
      files: SUITE_FILES,
      policies: plan.policies,
      ...surroundingsOf(plan),
      summarizer: registry.find(SUITE_MODEL),
    };
    for await (const item of runFiles(options)) items.push(item);
    return items;
  } finally {
    await server.close();
  }
}

/** A summary under the headings that were asked for, with a line that tells what it was made of. */
function answerByScript({ body }: Received): Deed {
  const messages = body['messages'] as readonly { readonly content: string }[];
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  if (characters > WINDOW_CHARACTERS) return openAiOverflow;
  const headings = askedHeadings(messages.at(-1)?.content ?? '').slice(0, MOST_HEADINGS);
  const line = `- Written by a script from ${messages.length} messages of ${characters} characters.`;
  const text = headings.map((heading) => `${heading}\n${line}`).join('\n\n');
  const outputTokens = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  const inputTokens = Math.ceil(characters / CHARACTERS_PER_TOKEN);
  return says(text, { usage: { inputTokens, outputTokens } });
}
