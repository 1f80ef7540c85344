import { describe, expect, it } from 'vitest';
import { type Message, policies } from '../../../../src/engine/index.ts';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import { user } from '../../../support/history.ts';
import { chat, eventsOf, modelOf, roomy, run, wordsOf } from '../lab.ts';
import { say } from './sessions.ts';

/** A window of which the policy is told twice as much. */
const narrow = { model: modelOf({ trueContextTokens: 5_000 }), summaryModel: roomy };

const needsOf = (events: readonly RunEvent[]) =>
  eventsOf(events, 'reference').map(
    ({ step: at, partId, missedBy = 'nothing' }) => `${at} ${partId} ${missedBy}`,
  );

describe('what a policy shows again', () => {
  const refused: readonly Message[] = [
    ...chat(1, 3_900),
    user('u2', `Set ticket_99812 and note_55123.\n${wordsOf(900)}`),
    say('s2', 'ticket_99812'),
  ];

  it.each(['opencode-1.2.16', 'opencode-1.14.40', 'opencode-1.18'] as const)(
    'is not missed where a refused prompt is sent again: %s',
    (name) => {
      const { events, lines } = run(refused, { ...narrow, policy: policies[name] });
      expect(lines).toContain('pivot auto, replay');
      expect(needsOf(events)).toEqual(['2 u2-0 nothing']);
    },
  );

  it('is missed once a pivot has hidden that, too', () => {
    const faults = [{ on: 'compact', step: 3 }] as const;
    const messages = [...refused, user('u3', 'Go on.'), say('s3', 'note_55123')];
    const { events } = run(messages, { ...narrow, faults });
    expect(needsOf(events)).toEqual(['2 u2-0 nothing', '3 u2-0 pivot']);
  });
});
