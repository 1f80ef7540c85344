/** Tests of the routing by kind. */
export const kindTests = `import { describe, expect, it } from 'vitest';

const events = {
  'order.created': { orderId: 'o-1', items: [{ sku: 's-1', quantity: 2 }] },
  'order.paid': { orderId: 'o-1', amountCents: 1250, currency: 'JPY' },
  'refund.issued': { orderId: 'o-1', amountCents: 300 },
  'refund.reversed': { orderId: 'o-1', amountCents: 300 },
  heartbeat: { sentAt: '2026-01-01T00:00:00Z' },
};

describe('an event of a known kind', () => {
  it.each(Object.entries(events))('is accepted: %s', (kind, fields) => {
    const result = readEvent(JSON.stringify({ kind, ...fields }));
    expect(result).toEqual({ state: 'accepted', event: { kind, ...fields } });
  });
});

it('names the known kinds when a kind is unknown', () => {
  const result = readEvent('{"kind":"order.lost","orderId":"o-1"}');
  const reasons = result.state === 'rejected' ? result.reasons.join() : '';
  for (const kind of Object.keys(events)) expect(reasons).toContain(kind);
});

it('rejects an event without a kind', () => {
  expect(readEvent('{"sentAt":"2026-01-01T00:00:00Z"}').state).toBe('rejected');
});
`;

/** Properties of what honest senders make. */
export const propertyTests = `import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readEvent } from '../src/intake.ts';

const id = fc.string({ minLength: 1 });

const honest = {
  created: fc.record({
    kind: fc.constant('order.created'),
    orderId: id,
    items: fc.array(fc.record({ sku: id, quantity: fc.integer({ min: 1, max: 999 }) }), {
      minLength: 1,
    }),
  }),
  paid: fc.record({
    kind: fc.constant('order.paid'),
    orderId: id,
    amountCents: fc.nat({ max: 500 }),
    currency: fc.constantFrom('EUR', 'JPY', 'USD'),
  }),
  refund: fc.record({
    kind: fc.constantFrom('refund.issued', 'refund.reversed'),
    orderId: id,
    amountCents: fc.nat({ max: 500 }),
  }),
  heartbeat: fc.record({
    kind: fc.constant('heartbeat'),
    sentAt: fc
      .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  }),
};

it.each(Object.entries(honest))('accepts every honest %s', (_, events) => {
  fc.assert(
    fc.property(events as fc.Arbitrary<object>, (event) => {
      expect(readEvent(JSON.stringify(event)).state).toBe('accepted');
    }),
    { seed: 42 },
  );
});
`;
