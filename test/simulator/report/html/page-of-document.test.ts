import { describe, expect, it } from 'vitest';
import { type Block, untrusted } from '../../../../src/simulator/report/document.ts';
import { renderHtml } from '../../../../src/simulator/report/html/page-of-document.ts';

const MARKUP = '<img src=x onerror="hacked()">&amp;\u202e';
const SHOWN = String.raw`&lt;img src=x onerror=&quot;hacked()&quot;&gt;&amp;amp;\u202e`;

/** What stands between the head and the foot of a page. */
function mainOf(blocks: readonly Block[]): string {
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(renderHtml(blocks)) ?? [];
  return main;
}

describe('renderHtml', () => {
  it('has the first heading as its title and everything else in its order', () => {
    const main = mainOf([
      { type: 'heading', level: 2, text: 'What to change' },
      { type: 'lines', lines: ['Try it.', ''] },
      { type: 'table', columns: [{ title: 'Change' }, { title: 'Cost' }], rows: [['none', '$1']] },
      { type: 'lines', lines: ['one', 'two'], areItems: true },
    ]);
    expect(main.replaceAll('\n', '')).toBe(
      '<h1>What to change</h1><p>Try it.</p><div class="scroll" role="region" tabindex="0" aria-label="Change"><table><thead><tr><th scope="col">Change</th><th scope="col" class="number">Cost</th></tr></thead><tbody><tr><th scope="row" class="name">none</th><td class="number">$1</td></tr></tbody></table></div><ul><li>one</li><li>two</li></ul>',
    );
  });

  it('shows texts from outside, and obeys none of them', () => {
    const main = mainOf([
      { type: 'heading', level: 2, text: untrusted(MARKUP) },
      { type: 'lines', lines: [untrusted(MARKUP)] },
      { type: 'list', title: 'Left out', items: [untrusted(MARKUP)] },
      { type: 'table', columns: [{ title: untrusted(MARKUP) }], rows: [[untrusted(MARKUP)]] },
      { type: 'snippet', where: 'Write:', code: MARKUP },
    ]);
    expect(main).not.toContain('<img');
    expect(main.split(SHOWN)).toHaveLength(8);
  });

  it('leaves out what is for another format, and tables without rows', () => {
    const main = mainOf([
      { type: 'lines', lines: ['for a terminal'], only: 'terminal' },
      { type: 'chart', draw: () => 'drawn' },
      { type: 'table', columns: [{ title: 'Change' }], rows: [] },
      { type: 'list', title: 'Left out', items: [] },
    ]);
    expect(main.trim()).toBe('<h1>compaction-bench</h1>');
  });
});
