import type { SessionScript } from '../../script.ts';
import { counting, deciding, hooking, scoping } from './counting.ts';
import { files } from './files.ts';
import { closing, collecting, printing, repairing, sharing, snapshotting } from './sharing.ts';

/** Finding out why a test run does the same work several times. */
export const repeatedSetup: SessionScript = {
  name: 'repeated-setup',
  title: 'What our test run does how often, and who decides',
  packages: ['@vitest/runner', '@vitest/snapshot', '@vitest/utils'],
  files,
  turns: [
    counting,
    deciding,
    hooking,
    scoping,
    sharing,
    repairing,
    snapshotting,
    printing,
    collecting,
    closing,
  ],
};
