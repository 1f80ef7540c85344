/** The table of agreement, and the page that shows where numbers and readers differ. */

import { type Block, renderTerminal } from '../../src/simulator/report/document.ts';
import { codeSpan } from '../../src/simulator/report/markup.ts';
import { formatPercent } from '../../src/simulator/report/numbers.ts';
import { alignedTable, replaceBlock } from '../page-blocks.ts';
import { type FactCase, isRight } from './facts.ts';
import type { AgreementRow } from './row.ts';

/** Columns of the table; the first is of names. */
const COLUMNS = [
  { title: 'Number', holds: 'names' as const },
  { title: 'Cases' },
  { title: 'Agree' },
  { title: 'Share' },
  { title: 'Wanted' },
];
const LONGEST_QUOTE = 200;
const INTRODUCTION = `Every number that judges is held against labelled cases, and reaches the share that is wanted of it. \`npm run agreement\` counts again and ends with exit code 1 where one agrees too
seldom.

\`npm run agreement -- --write\` writes this page. What the states of facts mean is in [summaries.md](summaries.md).

## Cases

- \`agreement/panel\`: summaries of four generated sessions (two English, one Chinese, one German), eight of each, and 66 sentences. One
  person wrote and labelled them before any rule was run on them. A second reader labelled 152 of them: 149 labels were equal.
- \`agreement/own\`: 230 sentences in eight languages and five summaries each of an English and a Japanese session, with other
  subjects and values; their author knew the rules.
- \`agreement/unseen\`: 52 sentences in seven languages and 13 summaries of an English and a Japanese session. Their author had not read
  the rules. Two of them were in view when rules were changed; no rule was changed for the others.
- \`agreement/natural\`: 486 sentences and 14 summaries with plain values ("25 MB", "Redis") in five languages, in bullets, prose and tables.
  Their author had not read the rules, which were then tuned on all of them: these cases are known, and their figures flatter.
- \`agreement/fresh\`: more of these, listed as _Fresh_. No rule was changed for any of them, so that they show what to expect of other texts.
- \`agreement/loss-cases.json\`: small histories with a step that needs something of what was removed, or nothing. Labels of recorded sessions
  (\`misses.json\`, \`loss-labels.json\`) count where the recordings are there. \`agreement/unseen\` has cases and labels that no rule was
  changed for; [losses.md](losses.md) has what they gave.

The rules were changed after the cases of the first two had been looked at, so those figures are of cases that are known, and fresh ones agree
less often. The unseen and fresh ones are plainly worded; of sentences that were written to mislead, less is found. [What fresh cases gave](../decisions/2026-11-28-states-of-facts.md) is written down with how it was measured.`;

/** The table for a terminal. */
export function agreementTable(rows: readonly AgreementRow[]): string {
  const table: Block = { type: 'table', columns: COLUMNS, rows: rows.map(cellsOf) };
  return renderTerminal([table], { colors: false, details: true });
}

/** The page in the documentation. */
export function agreementPage(rows: readonly AgreementRow[], cases: readonly FactCase[]): string {
  const left = cases.filter((one) => !isRight(one));
  return [
    '# Agreement',
    INTRODUCTION,
    '## Agreement',
    pageTable(rows),
    `## Disagreements that are left: ${left.length} of ${cases.length}`,
    left.map(disagreementLine).join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

/** A page with figures between its marks. */
export function withFigures(page: string, rows: readonly AgreementRow[]): string {
  return replaceBlock(page, 'agreement', `${pageTable(rows)}\n`);
}

function pageTable(rows: readonly AgreementRow[]): string {
  const titles = COLUMNS.map(({ title }) => title);
  return alignedTable(titles, rows.map(cellsOf), (column) => column > 0);
}

function cellsOf({ number, cases, agree, wanted }: AgreementRow): readonly string[] {
  return [
    number,
    String(cases),
    String(agree),
    cases === 0 ? '–' : formatPercent(agree / cases, 1),
    wanted === undefined ? '' : wanted === 1 ? 'all' : `at least ${formatPercent(wanted)}`,
  ];
}

function disagreementLine({ id, label, state, fact, text, isDoubtful }: FactCase): string {
  const reader = isDoubtful ? `${label} (doubtful)` : label;
  const [about, quote] = [`${fact.subject}: ${fact.value}`, quoteAround(text, fact)].map(codeSpan);
  return `- **${id}**, reader ${reader}, number ${state}. ${about} in ${quote}`;
}

/** The text around the value, on one line; its beginning where it has no value. */
function quoteAround(text: string, { value, aliases = [] }: FactCase['fact']): string {
  const places = [value, ...aliases]
    .map((spelling) => text.indexOf(spelling))
    .filter((at) => at >= 0);
  const at = Math.min(...places, text.length);
  const start =
    text.length <= LONGEST_QUOTE || places.length === 0 ? 0 : Math.max(0, at - LONGEST_QUOTE / 2);
  return text
    .slice(start, start + LONGEST_QUOTE)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
