import * as fc from 'fast-check';
import type { Message, Part, ToolState } from '../../src/engine/index.ts';
import { file, marker, step, summary, text, toolIn, user } from './history.ts';

/** When outputs were cleared that are so from the start. */
export const CLEARED_AT = 99;

type PartShape = (id: string) => Part;

const paths = fc.constantFrom('a.ts', 'b.ts');
const inputs = fc.oneof(
  paths.map((filePath) => ({ filePath })),
  fc.record({ filePath: paths, content: fc.constantFrom('one', 'two') }),
  fc.record({ content: fc.constant('one'), filePath: paths, limit: fc.constantFrom(null, 3) }),
  fc.constantFrom<unknown>({ command: 'ls' }, {}, 'ls', undefined, ['ls'], { depth: 2 }),
);
const states: fc.Arbitrary<ToolState> = fc
  .record({
    input: inputs,
    kind: fc.constantFrom(
      'completed',
      'completed',
      'completed',
      'image',
      'gone',
      'error',
      'pending',
    ),
  })
  .map(({ input, kind }): ToolState => {
    if (kind === 'pending') return { status: 'pending', input };
    if (kind === 'error') return { status: 'error', input, error: 'no' };
    const completed = { status: 'completed', input, output: 'x'.repeat(40) } as const;
    if (kind === 'completed') return completed;
    const attachments = [file('shot', 'image/png')];
    return { ...completed, attachments, ...(kind === 'gone' && { compactedAt: CLEARED_AT }) };
  });
const calls: fc.Arbitrary<PartShape> = fc
  .record({ state: states, name: fc.constantFrom('read', 'read', 'write', 'Edit', 'bash') })
  .map(
    ({ state, name }) =>
      (id) =>
        toolIn(id, state, name),
  );
const stepParts: fc.Arbitrary<PartShape> = fc.oneof(
  { weight: 6, arbitrary: calls },
  {
    weight: 1,
    arbitrary: fc.constantFrom<PartShape>(
      (id) => text(id, 'said'),
      (id) => ({ type: 'reasoning', id, text: 'thought', signedBy: 'anthropic' }),
      (id) => ({ type: 'reasoning', id, text: '' }),
    ),
  },
);
const userParts = fc.constantFrom<PartShape>(
  (id) => text(id, 'asked'),
  (id) => file(id, 'image/png'),
  (id) => file(id, 'text/plain'),
);

const messages = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.array(stepParts, { maxLength: 4 }).map(
      (shapes) =>
        (id: string): Message =>
          step(id, withIds(shapes, id)),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.array(userParts, { minLength: 1, maxLength: 2 }).map(
      (shapes) =>
        (id: string): Message =>
          user(id, ...withIds(shapes, id)),
    ),
  },
  { weight: 1, arbitrary: fc.constant((id: string): Message => marker(id)) },
  { weight: 1, arbitrary: fc.constant((id: string): Message => summary(id, 'u1')) },
);

/** Sessions whose calls are made again, fail and write what is read later, with media and thoughts among them. */
export const busyHistories: fc.Arbitrary<readonly Message[]> = fc
  .array(messages, { minLength: 6, maxLength: 20, size: 'max' })
  .map((shapes) => shapes.map((shape, index) => shape(`m${index}`)));

function withIds(shapes: readonly PartShape[], messageId: string): readonly Part[] {
  return shapes.map((shape, index) => shape(`${messageId}-p${index}`));
}
