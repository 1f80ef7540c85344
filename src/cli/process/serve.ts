import type { Server } from 'node:http';
import { badOption } from '../../simulator/lib/errors.ts';
import { type CliIo, printNote } from './io.ts';

export const SERVED_HOST = '127.0.0.1';

export const LAST_PORT = 65_535;

/** Serves until somebody interrupts; port 0 takes any free one. Throws at a port that is taken. */
export async function serveUntilEnd(
  server: Server,
  port: number,
  { io, what }: { io: CliIo; what: string },
) {
  await listen(server, port);
  const address = server.address();
  const used = typeof address === 'object' && address !== null ? address.port : port;
  printNote(io, `${what}: http://${SERVED_HOST}:${used}/ (Ctrl-C ends)`);
  await new Promise<void>((resolve) => {
    if (io.signal.aborted) resolve();
    io.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  // First no new one is taken, or one that comes meanwhile would be waited for.
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

async function listen(server: Server, port: number) {
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (error: NodeJS.ErrnoException) => {
      const message = `Expected '--port' to be free, got ${port}: ${error.code ?? error.message}.`;
      reject(badOption(message, { cause: error }));
    });
    server.listen(port, SERVED_HOST);
  });
}
