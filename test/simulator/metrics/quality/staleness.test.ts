import { describe, expect, it } from 'vitest';
import { qualityValues } from '../../../../src/simulator/metrics/quality/quality-metrics.ts';
import { scoreText } from '../../../../src/simulator/metrics/quality/score-text.ts';
import { planted } from '../../../support/facts.ts';

const OLD = '8080';
const NEW = '9191';
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
];

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

  it.each(['Port 9191 was set.', 'The port was 9191.', 'port → 9191', 'previously, port 9191'])(
    'is told where nothing but what holds is: %s',
    (text) => {
      expect(valuesOf(text)).toMatchObject({ retention: 1, staleRate: 0, updateAccuracy: 1 });
    },
  );

  it.each(['Port 8080 and port 9191.', 'port → 8080\nport → 9191'])(
    'is told by nobody who does not say which holds: %s',
    (text) => {
      expect(valuesOf(text)).toMatchObject({ retention: 1, staleRate: 1, updateAccuracy: 0 });
    },
  );

  it('is not told by a denial of what holds', () => {
    expect(valuesOf('Never use port 9191.')).toMatchObject({ retention: 0, updateAccuracy: 0 });
  });
});
