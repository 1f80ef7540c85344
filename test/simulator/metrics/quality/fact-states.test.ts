import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { retold } from '../../../support/retold.ts';
import {
  type FactState,
  factStates,
} from '../../../../src/simulator/metrics/quality/fact-states.ts';
import type { PlantedFact } from '../../../../src/simulator/session/facts.ts';

type Given = Partial<PlantedFact> & Pick<PlantedFact, 'subject' | 'value'>;

const quota: Given = { kind: 'number', subject: 'the storage quota', value: '48213907' };
const format: Given = { kind: 'decision', subject: 'the export format', value: 'columns-v7' };
const freeze: Given = {
  kind: 'constraint',
  polarity: 'dont',
  subject: 'the schema freeze',
  value: 'tbl_users_2',
};
const rejected: Given = {
  kind: 'rejected',
  polarity: 'dont',
  subject: 'the queue library',
  value: 'fastq-9',
};
const task: Given = {
  kind: 'todo',
  todoState: 'pending',
  subject: 'task on the login page',
  value: 'fix focus ring 7',
};
const checkA: Given = { kind: 'command', subject: 'the site check', value: 'make site-4k' };
const checkB: Given = { kind: 'command', subject: 'the shop check', value: 'make shop-9m' };
const formatOld: Given = { ...format, id: 'old', value: 'rows-v3' };

const upload: Given = { kind: 'number', subject: 'the upload limit', value: '25 MB' };
const store: Given = { kind: 'decision', subject: 'the session store', value: 'Redis' };
const runtime: Given = { kind: 'constraint', subject: 'Node version', value: 'Node 18' };
const window: Given = { kind: 'constraint', subject: 'deploy window', value: 'Friday' };
const flag: Given = { kind: 'state', subject: 'flag of the new page', value: 'off in tests' };
const retries: Given = { kind: 'number', subject: 'the retry count', value: '3' };

const formatNew: Given = { ...format, supersedes: 'old' };
const decoy: Given = {
  ...quota,
  id: 'decoy',
  role: 'distractor',
  about: 'fact',
  subject: 'the storage quota of the sister project',
  value: '55501234',
};
const NAMED: Readonly<Record<string, Given>> = {
  quota,
  format,
  formatOld,
  formatNew,
  freeze,
  rejected,
  task,
  checkA,
  checkB,
  decoy,
  upload,
  store,
  runtime,
  window,
  flag,
  retries,
};

describe('factStates', () => {
  it('tells of the first of some facts what it told', async () => {
    const path = join(import.meta.dirname, '../../../fixtures/fact-states.txt');
    const text = retold(path, (line) => {
      const [names = ''] = line.split(' ', 1);
      const facts = names.split(',').map((name) => NAMED[name]!);
      return [stateOf(JSON.parse(line.slice(names.length)) as string, facts) ?? 'unknown'];
    });
    await expect(text).toMatchFileSnapshot(path);
  });

  it('reads long texts in time that grows with their length', () => {
    const facts = [quota, format, checkA, checkB].map(toFact);
    const text = `${'not '.repeat(100_000)}${'make site-4k '.repeat(20_000)}${'1.'.repeat(100_000)}`;
    expect(factStates(text, facts)).toHaveLength(facts.length);
  });
});

/** The state of the first of some facts. */
function stateOf(text: string, given: readonly Given[]): FactState | undefined {
  const facts = given.map(toFact);
  return factStates(text, facts).get(facts[0]!.id);
}

function toFact(given: Given, index: number): PlantedFact {
  return {
    id: index === 0 ? 'fact' : `other-${index}`,
    serial: given.id === 'old' ? 0 : index + 1,
    kind: 'number',
    polarity: 'do',
    criticality: 'must',
    source: 'user',
    step: 1,
    posPct: 0,
    neededAt: [],
    ...given,
  };
}
