import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { messageOf } from './errors.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

const SERVER_ERROR = 500;

/** A server that goes on where its handler throws or rejects: the client gets a 500, and `onFault` the error. */
export function createGuardedServer(
  handle: Handle,
  onFault: (error: unknown) => void = () => undefined,
): Server {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      await handle(request, response);
    } catch (error) {
      onFault(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(SERVER_ERROR, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(`Expected to answer, got: ${messageOf(error)}\n`);
    }
  };
  return createServer((request, response) => void answer(request, response));
}
