import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/io.ts';
import { main } from '../../src/cli/main.ts';
import { captureIo } from '../support/captured-io.ts';

/** There are many, and other programs run beside them. */
const SHIPPED_MS = 120_000;

async function check(argv: readonly string[]) {
  const io = captureIo();
  const code = await main(['check', ...argv], io);
  return { code, ...io.written };
}

describe('check', () => {
  it(
    'is content with the scenarios that are shipped',
    async () => {
      const { code, stdout, stderr } = await check([]);
      expect({ code, stderr, failed: stdout.match(/^✗.*/gm) }).toEqual({
        code: EXIT.done,
        stderr: '',
        failed: null,
      });
      expect(stdout).toMatch(/^✓ irreducible-floor \(\d+ runs\)$/m);
    },
    SHIPPED_MS,
  );
});
