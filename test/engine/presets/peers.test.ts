import { describe, expect, it } from 'vitest';
import { policies, render, resolvePolicy, viewOf } from '../../../src/engine/index.ts';
import { text } from '../../support/history.ts';
import { final, OVER, play, said, type Script, stepped, summarised } from '../../support/script.ts';

/** A trigger at 100 of the 150 tokens of these scripts. */
const crush = resolvePolicy(policies.crush, { trigger: { windowShare: 100 / 150 } });

describe('Crush', () => {
  it('says nothing where the turn was over', () => {
    expect(crush).toPlay([
      [said('u1'), 'request u1'],
      [final('s1', OVER), 'overflow after-step', 'marker-queued auto', 'summarise u1 s1'],
      [summarised(), 'compacted auto', 'stop finished'],
    ]);
  });

  it('quotes the request as it was said, whatever came since and whatever is not sent', () => {
    const hidden = text('t', 'Hidden.', { ignored: true });
    const asked = said('u1', 'Do $& {request}.', hidden);
    const script: Script = [[asked], [stepped('s1', OVER)], [said('u2', 'New.')], [summarised()]];
    const { state } = play(crush, script);
    const shown = render(viewOf(state), crush.render).map(({ content }) => content);
    expect(shown.slice(1)).toMatchObject([
      [{ text: 'New.' }],
      [{ text: expect.stringMatching(/: Do \$& \{request\}\.$/) }],
    ]);
  });
});
