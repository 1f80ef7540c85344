import { type CassetteMode, createCassette } from '../../../src/simulator/summarizer/cassette.ts';
import { createScrub } from '../../../src/simulator/summarizer/scrub.ts';
import type {
  AsyncSummarizer,
  AsyncTools,
  SummaryAnswer,
  SummaryRequest,
} from '../../../src/simulator/summarizer/summarizer.ts';
import { toolsWith } from './counters.ts';
import { ANSWER, answering, REQUEST } from './models.ts';
import { createSilent } from '../../../src/simulator/summarizer/open.ts';

interface Asking {
  readonly request: SummaryRequest;
  readonly tools: AsyncTools;
}

/** What a cassette has to leave out. */
export const SECRET = 'hunter2-hunter2';
/** Leaves that out. */
export const scrub = createScrub({ secrets: [SECRET] });

/** Cassettes in the folder that a test has at the time. */
export function createCassettes(folderOf: () => string) {
  const cassette = (inner: AsyncSummarizer, mode: CassetteMode) =>
    createCassette(inner, { folder: folderOf(), mode, scrub, recordedAgainst: 'this test' });
  const ask = async (
    inner: AsyncSummarizer,
    mode: CassetteMode,
    { request = REQUEST, tools = toolsWith() }: Partial<Asking> = {},
  ): Promise<SummaryAnswer> => cassette(inner, mode).summarise(request, tools);
  const missMessage = async (request: SummaryRequest): Promise<string> => {
    try {
      await ask(createSilent(answering(ANSWER)), 'strict', { request });
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('Expected a miss.');
  };
  return { cassette, ask, missMessage };
}
