import { describe, expect, it } from 'vitest';
import { qualityValues } from '../../../../src/simulator/metrics/quality/quality-metrics.ts';
import { scoreText } from '../../../../src/simulator/metrics/quality/score-text.ts';
import { planted } from '../../../support/facts.ts';

const OLD = '8080';
const NEW = '9191';
const NEWEST = '3003';
const port = planted({ id: 'old', kind: 'number', subject: 'the port', value: OLD, serial: 1 });
const facts = [port, { ...port, id: 'new', value: NEW, supersedes: 'old', step: 2, serial: 2 }];

/** The two values put into a text that tells how one has taken the place of the other. */
const tell = (template: string, before: string, after: string) =>
  template.replaceAll('OLD', before).replaceAll('NEW', after);
const valuesOf = (text: string) => qualityValues(scoreText({ text, facts }));

const TEMPLATES = [
  'The port is now NEW, previously OLD.',
  'The port, previously OLD, is now NEW.',
  'Port: NEW (was OLD)',
  'Port: NEW (previously OLD)',
  'Port: OLD (old), NEW (new)',
  'The old port OLD is obsolete; use port NEW.',
  'Previously, the port was OLD; now it is NEW.',
  'The port was OLD earlier and is NEW now.',
  'The port - formerly OLD - is NEW.',
  'The port OLD was replaced by NEW.',
  'The port NEW replaces OLD.',
  'We replaced port OLD with NEW.',
  'Port OLD was replaced; use port NEW.',
  'The port OLD is superseded by NEW.',
  'The port was changed from OLD to NEW.',
  'The port moved from OLD to NEW.',
  'The port: OLD -> NEW.',
  'The port: OLD → 8443 → NEW.',
  'The port is NEW, not OLD.',
  'The port is not OLD but NEW.',
  'Use port NEW instead of OLD.',
  'Instead of OLD, use port NEW.',
  'Use port NEW, never OLD.',
  'Port: NEW; OLD no longer holds.',
  'The port was OLD.\nThe port is now NEW.',
  'Der Port wurde von OLD auf NEW geändert, port NEW.',
  'port: früher OLD, jetzt NEW',
  'port: раньше OLD, теперь NEW',
  'port 原来是 OLD，改为 NEW',
  'port NEW（之前是 OLD）',
  'port: OLD 已被 NEW 取代',
  'port: NEW 取代 OLD',
  'port: OLD 已替换，用 NEW',
  'port: OLD wurde durch NEW ersetzt',
  'port OLD（旧）、NEW（新）',
  'port は以前 OLD、現在 NEW',
  'port は OLD から NEW に変更',
  'Port: first OLD, later NEW',
  'Port: OLD, then NEW',
  'The port was OLD and then NEW.',
  'Port: NEW (before that OLD)',
  'Port: NEW (prior value OLD)',
  'Port: NEW overrides OLD',
  'Port: OLD was overridden by NEW',
  'Port: OLD made way for NEW',
  'Port: NEW takes the place of OLD',
  'Port: NEW in place of OLD',
  'The port OLD is deprecated; the port is NEW.',
  'Port: NEW (OLD is not valid anymore)',
  'We do not listen on port OLD any more, the port is NEW.',
  'Port: NEW; OLD is out of date',
  'Port: NEW (OLD has been retired)',
  'port: zuerst OLD, dann NEW',
  'port: NEW (OLD ist ungültig)',
  'port: сначала OLD, потом NEW',
  'port: NEW заменяет OLD',
  'port 先是 OLD，后来是 NEW',
  'port：NEW 覆盖 OLD',
  'port NEW（OLD 已过时）',
  'port は最初 OLD、その後 NEW',
  'port は OLD が NEW に上書きされた',
  'port NEW（OLD は非推奨）',
  'Port: NEW (now), OLD (before)',
  'We updated port OLD to NEW.',
  'The port OLD was raised to NEW.',
  'The port (OLD) has been moved to NEW.',
  '| Item | Old | New |\n|---|---|---|\n| port | OLD | NEW |',
  '| Item | New value | Old value |\n|---|---|---|\n| port | NEW | OLD |',
  '| Item | Before | After |\n|---|---|---|\n| port | OLD | NEW |',
  '| Item | Was | Is |\n|---|---|---|\n| port | OLD | NEW |',
  '| 项目 | 旧值 | 新值 |\n|---|---|---|\n| port | OLD | NEW |',
  '## Superseded\n- port: OLD\n\n## Current\n- port: NEW',
  '## Current\n- port: NEW\n\n## No longer valid\n- port: OLD',
  '## Ports\nOld values:\n- port: OLD\n\nNew values:\n- port: NEW',
  'Switched the port to NEW from OLD.',
  'We moved the port to NEW (from OLD).',
  'Port: NEW (from OLD)',
  'Port OLD became NEW.',
  'After OLD, the port became NEW.',
  'The port OLD has been renamed NEW.',
  'Port: NEW (dropped OLD)',
  'Port OLD was dropped in favour of NEW.',
  'Port OLD was dropped for NEW.',
  '- port: OLD\n+ port: NEW',
  '```diff\n- port: OLD\n- tea: hot\n+ port: NEW\n+ tea: cold\n```',
  'port NEW（原为 OLD）',
  'port 由 OLD 改为 NEW',
  'port: NEW (ранее OLD)',
  'port изменён с OLD на NEW',
];

const third = { ...port, id: 'third', value: NEWEST, supersedes: 'new', step: 3, serial: 3 };
const outcomeOf = (text: string) =>
  scoreText({ text, facts: [...facts, third] }).chains[0]?.outcome;

/** A text with one value for each of its capital letters. */
const put = (text: string, ...values: readonly string[]) =>
  ['A', 'B', 'C'].reduce(
    (told, letter, index) => told.replace(new RegExp(`\\b${letter}\\b`), values[index]!),
    text,
  );

const LISTS = [
  'Port: C (previously B, before that A)',
  'Port: C (earlier: A, B)',
  'Port: C (earlier A and B)',
  'Port: C (previously A, B)',
  'Port: C, earlier: A, B',
  'Formerly A and B, the port is C.',
  'Port: A, then B, then C',
  'Port: first A, later B, finally C',
  'A and B are deprecated, the port is C.',
  'A, B are obsolete, the port is C.',
  'port C（之前：A、B）',
  'port C（以前は A と B）',
  'port：先是 A，后来是 B，然后是 C',
  'port: C (vorher A und B)',
  'port: C (раньше A и B)',
];

describe('a change of a change', () => {
  it.each(LISTS)('is told as it was: %s', (text) => {
    expect(outcomeOf(put(text, OLD, NEW, NEWEST))).toBe('marked');
  });

  it.each(LISTS)('is told the other way round: %s', (text) => {
    expect(outcomeOf(put(text, OLD, NEWEST, NEW))).toBe('old');
    expect(outcomeOf(put(text, NEWEST, NEW, OLD))).toBe('old');
  });

  it.each(['Port: was A, C', 'Port: C, B, A', 'Port C, B (old), A', 'Port C and B (old), A (old)'])(
    'is not told where values only follow each other: %s',
    (text) => {
      expect(outcomeOf(put(text, OLD, NEW, NEWEST))).not.toBe('old');
      expect(outcomeOf(put(text, NEWEST, NEW, OLD))).not.toBe('marked');
    },
  );
});

describe('a change of many', () => {
  it('is told where all that held before is listed', () => {
    const last = { ...third, id: 'last', value: '7070', supersedes: 'third', step: 4, serial: 4 };
    const text = '8080, 9191 and 3003 are deprecated, the port is 7070.';
    const { chains } = scoreText({ text, facts: [...facts, third, last] });
    expect(chains).toMatchObject([{ outcome: 'marked' }]);
  });
});

describe('a change', () => {
  it.each(TEMPLATES)('is told as it was: %s', (template) => {
    expect(valuesOf(tell(template, OLD, NEW))).toMatchObject({
      retention: 1,
      staleRate: 0,
      updateAccuracy: 1,
      polarityFlipRate: 0,
    });
  });

  it.each(TEMPLATES)('is told the other way round: %s', (template) => {
    expect(valuesOf(tell(template, NEW, OLD))).toMatchObject({
      retention: 0,
      staleRate: 1,
      updateAccuracy: 0,
    });
  });

  it.each([
    'Port 9191 was set.',
    'The port was 9191.',
    'port → 9191',
    'previously, port 9191',
    '## Earlier work\n- port: 9191',
    '## Old kettle\n- port: 9191',
    '| Item | Before tea |\n|---|---|\n| port | 9191 |',
    'The port became 9191.',
  ])('is told where nothing but what holds is: %s', (text) => {
    expect(valuesOf(text)).toMatchObject({ retention: 1, staleRate: 0, updateAccuracy: 1 });
  });

  it.each([
    '| Item | First | Second |\n|---|---|---|\n| port | 8080 | 9191 |',
    '## Ports\n- port: 8080\n\n## Older ports\n- port: 9191',
    '- port: 8080\n* port: 9191',
    '- port: 8080\n- port: 9191',
    '+ port: 8080\n+ port: 9191',
    'The port of the config from the kettle is 8080 or 9191.',
  ])('is not told by other columns, headings or sources: %s', (text) => {
    expect(valuesOf(text)).toMatchObject({ retention: 1, staleRate: 1, updateAccuracy: 0 });
  });

  it.each([
    'Port: 8080, now 9191',
    'Port: 8080, 9191 (current)',
    'Port: 8080; updated: 9191',
    'The port of 8080 is 9191 now.',
    '- Port 8080. This is a correction. Port 9191',
    'Port 8080.\nLatest of all is port 9191.',
    'port 8080、9191 に変更',
  ])('is told by a word for what holds: %s', (text) => {
    expect(valuesOf(text)).toMatchObject({ retention: 1, staleRate: 0, updateAccuracy: 1 });
  });

  it.each([
    'Port: 8080 (current), 9191',
    'The current port is 8080, and 9191 is another one.',
    'The port was updated to 8080 (from 9191).',
    '8080 is the current port, and 9191 is not.',
    '- The latest port is 8080. 9191',
    'Port: 8080（当前）、9191',
    'As before, the port is 8080, or 9191.',
    'We set port 8080 to please 9191.',
  ])('is not told by a word for what holds beside what held before: %s', (text) => {
    expect(valuesOf(text)).toMatchObject({ staleRate: 1, updateAccuracy: 0 });
  });

  it.each(['Port 8080 and port 9191.', 'port → 8080\nport → 9191'])(
    'is told by nobody who does not say which holds: %s',
    (text) => {
      expect(valuesOf(text)).toMatchObject({ retention: 1, staleRate: 1, updateAccuracy: 0 });
    },
  );

  it.each(['Use port 8080, then restart.', 'The port 8080 came later.'])(
    'is not told where only what held before is: %s',
    (text) => {
      expect(valuesOf(text)).toMatchObject({ retention: 0, staleRate: 1 });
    },
  );

  it.each([
    'The port 8080 is deprecated.',
    'The port 8080 is not valid anymore.',
    'port 8080 已过时',
  ])('is not told, nor what held before, by: %s', (text) => {
    expect(valuesOf(text)).toMatchObject({ retention: 0, staleRate: 0, updateAccuracy: 0 });
  });

  it('is not told by a denial of what holds', () => {
    expect(valuesOf('Never use port 9191.')).toMatchObject({ retention: 0, updateAccuracy: 0 });
  });
});
