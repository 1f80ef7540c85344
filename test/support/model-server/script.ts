/** Tokens that a served answer reports, in OpenAI's way: input includes what was cached, output what was thought. */
export interface ServedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly reasoningTokens?: number;
  /** Anthropic only. */
  readonly writtenTokens?: number;
}

/** An answer as the model wrote it. */
export interface ServedAnswer {
  readonly text: string;
  /** In the words of OpenAI's chat completions. */
  readonly finish?: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  readonly reasoning?: string;
  /** Calls of tools; of OpenAI's chat completions only. */
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: object;
  }[];
  /** Who answered in truth; the one that was asked, where absent. */
  readonly model?: string;
  readonly usage?: ServedUsage;
}

/** What a server does with one request. */
export type Deed =
  | ({ readonly type: 'answer' } & ServedAnswer)
  | {
      readonly type: 'refuse';
      readonly status: number;
      /** The body as it is sent; JSON unless it is a text. */
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Takes the request and says nothing, until the client goes. */
  | { readonly type: 'hang' }
  /** Closes the socket before it answers. */
  | { readonly type: 'reset' }
  /** Begins to answer and closes the connection. */
  | { readonly type: 'early-end'; readonly text: string }
  /** Ends as if all was well, without the end of the answer. */
  | { readonly type: 'half'; readonly text: string }
  | { readonly type: 'bad-json' }
  /** Begins to stream, then sends an error as an event. */
  | { readonly type: 'error-event'; readonly code: string; readonly message: string };

/** A request as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a server does with each request, by its number from 1. */
export type Script = (received: Received, nth: number) => Deed;

/** An answer with that text and a usage that fits it. */
export function says(text: string, more: Partial<ServedAnswer> = {}): Deed {
  return { type: 'answer', text, usage: { inputTokens: 100, outputTokens: 10 }, ...more };
}

/** Does one thing after the other, and the last one again and again. */
export function inTurn(...deeds: readonly Deed[]): Script {
  return (_, nth) => deeds[Math.min(nth, deeds.length) - 1] ?? says('');
}

/** OpenAI's refusal of a request that is too large. */
export const openAiOverflow: Deed = {
  type: 'refuse',
  status: 400,
  body: {
    error: {
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  },
};

/** Anthropic's, which has no code. */
export const anthropicOverflow: Deed = {
  type: 'refuse',
  status: 400,
  body: {
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: 'prompt is too long: 200251 tokens > 200000 maximum',
    },
  },
};

/** Too many requests, with whatever headers say when to come back. */
export function rateLimited(headers: Readonly<Record<string, string>> = {}): Deed {
  const error = {
    message: 'Rate limit reached for requests',
    type: 'requests',
    code: 'rate_limit_exceeded',
  };
  return { type: 'refuse', status: 429, body: { error }, headers };
}

/** An error of the server's own. */
export const serverError: Deed = {
  type: 'refuse',
  status: 500,
  body: { error: { message: 'The server had an error.', type: 'server_error', code: null } },
};
