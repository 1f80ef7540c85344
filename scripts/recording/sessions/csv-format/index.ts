import type { SessionScript } from '../../script.ts';
import { building, defusing, looking, planning } from './building.ts';
import { files } from './files.ts';
import { changing, closing, delimiting, exiting, helping, missing, streaming } from './widening.ts';

/** Adding output formats to a command, with a wish that is taken back. */
export const csvFormat: SessionScript = {
  name: 'csv-format',
  title: 'CSV as an output format of run-report',
  packages: ['commander', 'csv-stringify', '@types/node'],
  files,
  turns: [
    planning,
    building,
    defusing,
    looking,
    delimiting,
    changing,
    exiting,
    helping,
    missing,
    streaming,
    closing,
  ],
};
