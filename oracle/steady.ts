/** The facts of requests without what differs from one run to the next. */

import {
  factsOf,
  type RequestFacts,
  type SentRequest,
} from '../src/simulator/provider/scripted/dialects.ts';
import type { ProviderScript } from '../src/simulator/provider/scripted/script.ts';
import { cacheFolder } from './install.ts';
import { knownOf } from '../src/simulator/provider/scripted/server.ts';

/** The folder of agents counts as one with a path of so many characters. */
const CACHE_CHARS = 36;
const DAY = /\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b/g;
const MONTH =
  /\b(?:January|February|March|April|May|June|July|August|September|October|December)(?= \d)/g;

/** Facts of all requests of a run, in their order. */
export function steadyFacts<Request extends RequestFacts>(
  requests: readonly Request[],
  sent: readonly SentRequest[],
  script: ProviderScript,
): readonly Request[] {
  const known = { ...knownOf(script), agentTools: 0 };
  let before: SentRequest | undefined;
  return requests.map((request, index) => {
    const { messages = [], tools = [], isStreaming = true } = sent[index] ?? {};
    const steadied = messages.map((one) => ({ ...one, text: steady(one.text) }));
    const read = { messages: steadied, tools, isStreaming };
    const facts = factsOf(read, request.kind, { known, before });
    if (request.kind === 'agent') before = read;
    return { ...request, ...facts };
  });
}

function steady(text: string): string {
  return text
    .replaceAll(cacheFolder(), '/'.padEnd(CACHE_CHARS, 'c'))
    .replaceAll(DAY, 'Saturday')
    .replaceAll(MONTH, 'November');
}
