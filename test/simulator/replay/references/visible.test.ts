import { describe, expect, it } from 'vitest';
import type { Message, TextPart } from '../../../../src/engine/index.ts';
import { standIn } from '../../../../src/engine/message.ts';
import { createWatch } from '../../../../src/simulator/replay/references/watch.ts';
import { step, text, user } from '../../../support/history.ts';
import { traceOf } from '../lab.ts';
import { called, read, say } from './sessions.ts';

const begin = user('u1', 'Begin.');
const first = read('s1', 'src/parse.ts', 'parseQuery stands here');
const asked = user('u2', 'Use isLazyName.');
const failed: Message = step('s1', [
  {
    ...called('s1', 'read', {}, ''),
    state: { status: 'error', input: {}, error: 'parseQuery is no file' },
  },
]);
const told = say('s1', 'parseQuery is slow');

/** A step whose outputs say something else. */
const overwritten = (message: Message, output: string): Message => ({
  ...message,
  parts: message.parts.map((part) =>
    part.type === 'tool' && part.state.status === 'completed'
      ? { ...part, state: { ...part.state, output } }
      : part,
  ),
});

/** A message of which something was taken out of every part. */
const shortened = (message: Message): Message => ({
  ...message,
  parts: message.parts.map((part) => {
    if (part.type === 'text')
      return standIn<TextPart>(text(part.id, 'parse'), part, { what: 'text', now: 1 });
    if (part.type !== 'tool') return part;
    return standIn({ ...part, state: { ...part.state, input: {} } }, part, {
      what: 'input',
      now: 1,
    });
  }),
});

describe('what a view shows of what a step needs', () => {
  it.each<[name: string, session: readonly Message[], view: readonly Message[], missed: string]>([
    ['all of what stands as it was', [first, asked], [first, asked], ''],
    ['all of an error', [failed], [failed], ''],
    [
      'nothing of an output that says something else',
      [first],
      [overwritten(first, 'Cleared.')],
      's1-read',
    ],
    [
      'the newer of two parts alone, where the older one is overwritten',
      [first, asked],
      [overwritten(first, 'Cleared.'), asked],
      's1-read',
    ],
    ['nothing of a text that another one stands for', [told], [shortened(told)], 's1-said'],
  ])('is %s', (_, session, view, missed) => {
    const last = say('s9', 'parseQuery for isLazyName');
    const sent = [begin, ...session];
    const references = traceOf([...sent, last]).references();
    // What was not changed is shown as the trace has it.
    const asRecorded = (message: Message) => references.messages[sent.indexOf(message)] ?? message;
    const watch = createWatch(references);
    watch.findMisses(begin.id, sent.map(asRecorded));
    const found = watch.findMisses(last.id, [begin, ...view].map(asRecorded));
    expect(found.map(({ source }) => source.partId).join()).toBe(missed);
  });

  it('has no file that only an input named which was taken out', () => {
    const watch = createWatch(traceOf([begin, first]).references());
    watch.findMisses(begin.id, [begin, first]);
    expect(watch.tellEnd([begin, shortened(first)]).at(-1)).toMatchObject({
      paths: 1,
      gonePaths: ['path-1'],
    });
  });
});
