import { describe, expect, it } from 'vitest';
import {
  createTreatments,
  type Standing,
} from '../../../../src/simulator/session/redact/treatment.ts';
import { eachUnit } from '../../../../src/simulator/session/redact/units.ts';

/** Short plain words are common, as in a tokenizer. */
const treatmentsIn = createTreatments({ isCommon: (unit) => /^[a-z]{1,9}$/.test(unit) });

/** How each word of a text is replaced; the key of a drawn one without its standing. */
function treated(text: string, standing: Standing = 'content'): Record<string, string> {
  const treat = treatmentsIn(text, standing);
  const found: Record<string, string> = {};
  eachUnit(text, (place) => {
    const treatment = treat(place);
    found[place.unit] = 'key' in treatment ? treatment.key : treatment.as;
  });
  return found;
}

describe('createTreatments', () => {
  it('binds a common word to the word before it, and the first ones to the first three', () => {
    expect(treated('put the kettle on now')).toEqual({
      put: 'content put the kettle',
      the: 'content put the kettle',
      kettle: 'content the kettle',
      on: 'content kettle on',
      now: 'content on now',
    });
  });

  it.each([
    ['the number of a line', '   12→put the lid on', 'put the lid on'],
    ['the place of a match', 'src/tea.ts:12:put the lid on', 'put the lid on'],
    ['the mark of a difference', '+ put the lid on', 'put the lid on'],
    ['another sentence', 'Mind this. put the lid on!', 'put the lid on'],
    ['other lines', 'x\nput the lid on\ny', 'put the lid on'],
  ])('gives a line the same keys behind %s', (_, text, line) => {
    expect(treated(text)).toMatchObject(treated(line));
  });

  it('gives a copied phrase the same keys from its second word on', () => {
    const { kettle, on } = treated('now we put the kettle on and wait');
    expect(treated('who put the kettle on')).toMatchObject({ kettle, on });
  });

  it('keeps what identifies something equal in the whole file', () => {
    const words = treated('run tea-pot in /srv/lid/cup.ts with getKettle');
    expect(words).toMatchObject({
      tea: 'content tea-pot',
      pot: 'content tea-pot',
      srv: 'unit',
      lid: 'unit',
      cup: 'content cup.ts',
      ts: 'content cup.ts',
      getKettle: 'unit',
    });
    expect(treated('kettle')).toEqual({ kettle: 'unit' });
  });

  it('gives no common word of a system prompt a key that it has elsewhere', () => {
    const text = 'put the tea-pot on /srv/lid\nkettle\n12 cups';
    const [system, content] = (['system', 'content'] as const).map((standing) =>
      Object.values(treated(text, standing)),
    );
    expect(system?.filter((key) => key === 'unit' || content?.includes(key))).toEqual([]);
  });

  it('gives prose of a template other keys, but no path or identifier', () => {
    expect(treated('put the tea-pot on /srv/lid', 'template')).toMatchObject({
      put: 'template put the tea',
      pot: 'content tea-pot',
      srv: 'unit',
    });
  });

  it('takes its time by length only', () => {
    const text = `${'- '.repeat(50_000)}x${'-'.repeat(50_000)}`;
    const before = performance.now();
    treated(text);
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
