import type { SessionScript } from '../../script.ts';
import { files } from './files.ts';
import { changing, closing, localising, reading, searching, wording } from './localising.ts';
import { asking, complaining, measuring, studying } from './measuring.ts';

/** A table that does not line up, with constraints that are lifted later, in Chinese and Japanese. */
export const tableWidths: SessionScript = {
  name: 'table-widths',
  title: '任务看板在终端里对不齐',
  packages: ['cli-table3', 'emoji-regex', 'is-fullwidth-code-point', 'string-width', 'zod'],
  files,
  turns: [
    complaining,
    studying,
    asking,
    measuring,
    changing,
    localising,
    reading,
    searching,
    wording,
    closing,
  ],
};
