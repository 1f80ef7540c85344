/** The project of the session: it reads webhook events. */
export const files = {
  'package.json': `{
  "name": "event-intake",
  "private": true,
  "type": "module",
  "scripts": { "test": "vitest run", "types": "tsc --noEmit" },
  "dependencies": { "zod": "^4.0.0" }
}
`,
  'tsconfig.json': `{
  "compilerOptions": {
    "target": "es2023",
    "module": "nodenext",
    "strict": true,
    "noEmit": true,
    "skipLibCheck": true,
    "allowImportingTsExtensions": true,
    "types": []
  },
  "include": ["src", "test"]
}
`,
  'vitest.config.ts': `import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { cache: false, fileParallelism: false, slowTestThreshold: 60_000 },
});
`,
  'src/events.ts': `import { z } from 'zod';

export const orderCreated = z.object({
  kind: z.literal('order.created'),
  orderId: z.string().min(1),
  items: z.array(z.object({ sku: z.string().min(1), quantity: z.int().positive() })).min(1),
});

export const orderPaid = z.object({
  kind: z.literal('order.paid'),
  orderId: z.string().min(1),
  amountCents: z.int().nonnegative(),
  currency: z.enum(['EUR', 'JPY', 'USD']),
});

export const refund = z.object({
  kind: z.enum(['refund.issued', 'refund.reversed']),
  orderId: z.string().min(1),
  amountCents: z.int().positive(),
});

export const heartbeat = z.object({
  kind: z.literal('heartbeat').default('heartbeat'),
  sentAt: z.iso.datetime(),
});

export const webhookEvent = z.discriminatedUnion('kind', [
  orderCreated,
  orderPaid,
  refund,
  heartbeat,
]);

export type WebhookEvent = z.infer<typeof webhookEvent>;
`,
  'src/intake.ts': `import { webhookEvent, type WebhookEvent } from './events.ts';

export type Intake =
  | { state: 'accepted'; event: WebhookEvent }
  | { state: 'rejected'; reasons: string[] };

export function readEvent(body: string): Intake {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { state: 'rejected', reasons: ['not JSON'] };
  }
  const result = webhookEvent.safeParse(value);
  if (result.success) return { state: 'accepted', event: result.data };
  const reasons = result.error.issues.map((issue) => \`\${issue.path.join('.')}: \${issue.message}\`);
  return { state: 'rejected', reasons };
}
`,
  'test/intake.test.ts': `import { expect, it } from 'vitest';
import { readEvent } from '../src/intake.ts';

it('accepts a paid order', () => {
  const body = '{"kind":"order.paid","orderId":"o-1","amountCents":1250,"currency":"EUR"}';
  expect(readEvent(body).state).toBe('accepted');
});

it('rejects what is no JSON', () => {
  expect(readEvent('{')).toEqual({ state: 'rejected', reasons: ['not JSON'] });
});
`,
  'docs/README.md': `# Notes

One note a question. Each claim names the file and the line it rests on.
`,
  'skills/note-writing/SKILL.md': `# Writing a note

A note answers one question for somebody who will act on the answer.

1. Put the answer first, in at most three sentences.
2. Then the rules, as a table: what happens, when, and where the code says so (file:line).
3. Then what surprised you, with the smallest input that shows it.
4. End with what was not looked at. Never leave it out: a reader takes silence for "checked".

Keep to 60 lines. Quote no more than four lines of foreign code in a row. Name the version of every
package that you read; a line number without a version is worthless after the next release.
`,
} satisfies Record<string, string>;
