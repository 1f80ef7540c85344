import { contentHash, shortHash } from '../../lib/json.ts';
import { toTextRequest } from '../model/prompt.ts';
import type { AsyncSummarizer, SummarizerTools, SummaryRequest } from '../summarizer.ts';

/** Who was asked. */
export type Asked = Pick<AsyncSummarizer, 'name' | 'settings'>;

/** A request as a cassette keeps it: enough to know it again and to tell what differs, without what the session says. */
export interface RequestOutline {
  /** Hash of everything that is sent and of who is asked. */
  readonly key: string;
  readonly summarizer: string;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  readonly outputCapTokens?: number;
  /** In lines. */
  readonly system: readonly string[];
  /** In lines. */
  readonly prompt: readonly string[];
  /** Role, length and hash of each. */
  readonly messages: readonly string[];
}

/** The outline of a request. The key rests on the whole texts, the rest on what was taken out of them. */
export function outlineOf(
  request: SummaryRequest,
  asked: Asked,
  { render, scrub }: Pick<SummarizerTools, 'render'> & { readonly scrub: (text: string) => string },
): RequestOutline {
  const { outputCapTokens } = request;
  const { system, messages } = toTextRequest({ ...request, prompt: '' }, render);
  const { messages: whole } = toTextRequest(request, render);
  const settings = asked.settings ?? {};
  const capped = outputCapTokens !== undefined && { outputCapTokens };
  return {
    key: contentHash({ summarizer: asked.name, settings, ...capped, system, messages: whole }),
    summarizer: asked.name,
    settings,
    ...capped,
    system: scrub(system).split('\n'),
    prompt: scrub(request.prompt).split('\n'),
    messages: messages.map(
      ({ role, content }) => `${role}, ${content.length} characters, ${shortHash(content)}`,
    ),
  };
}
