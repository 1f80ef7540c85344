import type { SessionScript } from '../script.ts';
import { csvFormat } from './csv-format/index.ts';
import { discriminatedUnions } from './discriminated-unions/index.ts';
import { repeatedSetup } from './repeated-setup/index.ts';
import { tableWidths } from './table-widths/index.ts';

/** All recorded conversations, in the order of their session ids. */
export const sessionScripts: readonly SessionScript[] = [
  discriminatedUnions,
  repeatedSetup,
  csvFormat,
  tableWidths,
];
