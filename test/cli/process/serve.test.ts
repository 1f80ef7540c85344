import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { serveUntilEnd } from '../../../src/cli/process/serve.ts';
import { captureIo } from '../../support/captured-io.ts';

describe('serveUntilEnd', () => {
  it.each([
    ['that sends its request slowly', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{'],
    ['that waits for an answer', 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['that says nothing', ''],
  ])('ends at once beside a client %s', async (_, request) => {
    const stop = new AbortController();
    const io = captureIo({ signal: stop.signal });
    const server = createServer(() => undefined);
    const listening = once(server, 'listening');
    const over = serveUntilEnd(server, 0, { io, what: 'Model' });
    await listening;
    const connected = once(server, 'connection');
    const { port } = server.address() as AddressInfo;
    const client = connect(port, '127.0.0.1');
    client.on('error', () => undefined);
    await connected;
    client.write(request);
    const closed = once(client, 'close');
    client.resume();
    stop.abort();
    await over;
    await closed;
    expect(server.listening).toBe(false);
  });
});
