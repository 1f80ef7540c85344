import type { SessionScript } from '../../script.ts';
import { compiling, correcting, describing, noting } from './deepening.ts';
import { choosing, failures, wrapping } from './exploring.ts';
import { files } from './files.ts';
import { attacking, closing, ordering } from './hardening.ts';
import { deciding, fixing, generating, testingKinds } from './testing.ts';

/** Reading how zod picks the option of a discriminated union, then testing and hardening against it. */
export const discriminatedUnions: SessionScript = {
  name: 'discriminated-unions',
  title: 'How zod picks an option of a discriminated union',
  packages: ['zod', 'fast-check'],
  files,
  turns: [
    choosing,
    wrapping,
    failures,
    compiling,
    describing,
    noting,
    correcting,
    testingKinds,
    fixing,
    generating,
    deciding,
    attacking,
    ordering,
    closing,
  ],
};
