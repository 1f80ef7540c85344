import { describe, expect, it } from 'vitest';
import { summary, text, user } from '../../../support/history.ts';
import { ends, says, summarise } from './sections.ts';

const before = (line: string) =>
  summary('s', 'm', { parts: [text('s', `## Accomplished\n- ${line}`)] });

describe('a fact of an earlier summary', () => {
  it('survives, anchored', () => {
    const line = 'So far the rate migration has reached checkpoint k7m2x9.';
    expect(summarise([before(line), user('u', 'Go on.'), says('Reading.')])).toContain(line);
  });

  it('yields to a newer one about the same', () => {
    const answer = summarise([
      before('So far the rate migration has reached checkpoint k7m2x9.'),
      user('u', 'Go on.'),
      ends('Correction: So far the rate migration has reached checkpoint p4q8w3.'),
    ]);
    expect(answer).toContain('p4q8w3');
    expect(answer).not.toContain('k7m2x9');
  });
});
