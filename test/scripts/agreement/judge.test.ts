import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FactCase, readCases } from '../../../scripts/agreement/facts.ts';
import { judgeSets } from '../../../scripts/agreement/judge.ts';
import { captureIo } from '../../support/captured-io.ts';
import { says } from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';

const cases = readCases([resolve(import.meta.dirname, '../../../agreement/unseen')]);

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(() => says('1: stale'));
});
afterAll(async () => server.close());

describe('agreement of a judge', () => {
  it('is that of its labels, and of rules where it has none', async () => {
    let labelled: readonly FactCase[] = [];
    const options = { judge: 'ai:local/judge', baseUrl: server.url };
    const print = (sets: readonly (readonly FactCase[])[]) => {
      labelled = sets.flat();
    };
    const io = captureIo();
    expect(await judgeSets([cases], { options, print }, io)).toBe(0);
    const sources = new Set(cases.map(({ source }) => source));
    const changed = labelled.filter(({ state }) => state === 'stale');
    expect(changed.length).toBeGreaterThanOrEqual(sources.size);
    expect(labelled.map(({ id }) => id)).toEqual(cases.map(({ id }) => id));
    const rest = labelled.flatMap((one, at) =>
      one.state === 'stale' ? [] : [[one.state, cases[at]?.state]],
    );
    expect(rest.length).toBeGreaterThan(0);
    expect(rest.every(([own, byRules]) => own === byRules)).toBe(true);
    expect(io.written.stderr).toMatch(
      /Facts judged by ai:local\/judge, .*; \d+ of \d+ facts unanswered/,
    );
  });
});
