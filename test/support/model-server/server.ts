import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicMessages } from './anthropic.ts';
import { openAiChat } from './openai-chat.ts';
import { openAiResponses } from './openai-responses.ts';
import type { Deed, Received, Script } from './script.ts';
import type { Wire, WireEvent } from './wire.ts';

/** A server on this machine that speaks as model providers do. */
export interface ModelServer {
  /** What a client is given as its base URL. */
  readonly url: string;
  /** Everything that was asked, in order, but for the request that only finds out who is there. */
  readonly received: Received[];
  /** How often that one came. */
  readonly greeted: number;
  /** How that one is answered; well by default. */
  greet(deed: Deed): void;
  /** From here on, with numbers from 1 again. */
  play(script: Script): void;
  close(): Promise<void>;
}

const WIRES: ReadonlyMap<string, Wire> = new Map([
  ['/v1/chat/completions', openAiChat],
  ['/v1/responses', openAiResponses],
  ['/v1/messages', anthropicMessages],
]);

const GREETING = 'Answer with one word.';
const WELL: Deed = { type: 'answer', text: 'Yes', usage: { inputTokens: 0, outputTokens: 0 } };

/** Starts a server on a free port of the loopback interface. */
export async function startModelServer(script: Script): Promise<ModelServer> {
  const received: Received[] = [];
  let current = script;
  let nth = 0;
  let greeted = 0;
  let greeting: Deed = WELL;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    const asked: Received = { path: request.url ?? '', headers: request.headers, body };
    if (request.method === 'GET') {
      response.writeHead(404).end();
      return;
    }
    if (JSON.stringify(body).includes(GREETING)) {
      greeted += 1;
      act(greeting, asked, response);
      return;
    }
    received.push(asked);
    nth += 1;
    act(current(asked, nth), asked, response);
  };
  const server = createServer((request, response) => {
    void serve(request, response);
  });
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    received,
    get greeted() {
      return greeted;
    },
    greet: (deed) => {
      greeting = deed;
    },
    play: (next) => {
      current = next;
      nth = 0;
    },
    close: () => close(server),
  };
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}

/** Also ends what still hangs. */
async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function readBody(request: IncomingMessage): Promise<Received['body']> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as Received['body'];
}

function act(deed: Deed, { path, body }: Received, response: ServerResponse): void {
  const wire = WIRES.get(path);
  if (wire === undefined) {
    response.writeHead(404).end();
    return;
  }
  const answered = deed.type === 'answer' ? deed.model : undefined;
  const model = answered ?? String(body['model']);
  const isStream = body['stream'] === true;
  switch (deed.type) {
    case 'answer':
      if (isStream) end(response, wire.toEvents(deed, model));
      else sendJson(response, 200, wire.toJson(deed, model));
      return;
    case 'refuse':
      sendJson(response, deed.status, deed.body ?? '', deed.headers);
      return;
    case 'hang':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'early-end':
    case 'half':
      breakOff(response, deed, { wire, model, isStream });
      return;
    case 'bad-json':
      if (isStream) end(response, [{ data: '{"id": "x", "choices": [{' }]);
      else sendJson(response, 200, '{"id": "x", "choices": [{');
      return;
    case 'error-event':
      begin(response, [wire.toErrorEvent(deed.code, deed.message)]);
      response.end();
  }
}

/** Sends the first half of an answer; what follows never comes, or is taken for the end. */
function breakOff(
  response: ServerResponse,
  deed: Deed & { readonly type: 'early-end' | 'half' },
  { wire, model, isStream }: Asked,
): void {
  if (isStream) {
    const events = wire.toEvents({ text: deed.text }, model);
    begin(response, events.slice(0, Math.ceil(events.length / 2)));
  } else {
    const json = JSON.stringify(wire.toJson({ text: deed.text }, model));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(json.slice(0, json.length / 2));
  }
  if (deed.type === 'half') response.end();
  else response.write(' ', () => response.socket?.resetAndDestroy());
}

/** Who is asked, and how. */
interface Asked {
  readonly wire: Wire;
  readonly model: string;
  readonly isStream: boolean;
}

function begin(response: ServerResponse, events: readonly WireEvent[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const { name, data } of events) {
    const head = name === undefined ? '' : `event: ${name}\n`;
    response.write(`${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
}

function end(response: ServerResponse, events: readonly WireEvent[]): void {
  begin(response, events);
  response.end();
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
