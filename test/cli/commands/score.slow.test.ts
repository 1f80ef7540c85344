import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callMain, words } from '../../support/command.ts';
import { inTurn, says } from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const FACTS = [
  { kind: 'rejected', subject: 'the queue library', value: 'fastq-9', polarity: 'dont' },
  { kind: 'number', subject: 'the upload limit', value: '52428800', polarity: 'do' },
];
const facts = writeFile(folder, 'facts.json', JSON.stringify(FACTS));
const text = writeFile(
  folder,
  'text.md',
  'The queue library fastq-9 was rejected. The queue library is fastq-9. Upload limit: 52428800 bytes.',
);

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(inTurn(says('KEPT')));
});
afterAll(async () => {
  await server.close();
});

describe('score with a reader', () => {
  it.each<[string, string, string]>([
    ['a state', '**1**: Contradicted.', 'contradicted'],
    ['a label in two words', '1. wrong value', 'wrong-value'],
    ['two labels', '1: kept\n1: lost', 'unknown'],
    ['doubt', '1: unknown', 'unknown'],
    ['something else', 'It is hard to say', 'unknown'],
  ])(
    'takes %s for what rules leave in doubt, and asks for nothing else',
    async (_, answer, state) => {
      server.play(inTurn(says(answer)));
      const before = server.received.length;
      const { stdout, code } = await score();
      expect(code).toBe(0);
      expect(JSON.parse(stdout).texts[0].facts).toEqual([
        { id: 'fact-1', state },
        { id: 'fact-2', state: 'kept' },
      ]);
      const asked = server.received.slice(before);
      expect(asked).toHaveLength(1);
      expect(JSON.stringify(asked[0]?.body)).toContain(
        '1. the queue library = fastq-9 (considered and turned down)',
      );
    },
  );

  it('says why a fact stays in doubt', async () => {
    server.play(inTurn({ type: 'reset' }));
    const { stdout, stderr } = await score('--retries', '0');
    expect(stderr).toContain(`1 fact in ${text} left in doubt: `);
    expect(JSON.parse(stdout).texts[0].facts[0].state).toBe('unknown');
  });
});

function score(...more: readonly string[]) {
  const model = ['--reader', 'ai:local/m', '--base-url', server.url, '--api-key-env', 'LAB_KEY'];
  const argv = [
    ...words(`summarizers score ${text} --facts ${facts} --format json`),
    ...model,
    ...more,
  ];
  return callMain(argv, { env: { LAB_KEY: 'none' } });
}
