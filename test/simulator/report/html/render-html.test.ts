import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type Block, untrusted } from '../../../../src/simulator/report/document.ts';
import { readLibrary, renderSvg } from '../../../../src/simulator/report/html/render-html.ts';
import { renderHtml, withTag } from '../../../../src/simulator/report/html/render-html.ts';

const MARKUP = '<img src=x onerror="hacked()">&amp;\u202e</script><!--';
const SHOWN = String.raw`&lt;img src=x onerror=&quot;hacked()&quot;&gt;&amp;amp;\u202e&lt;/script&gt;&lt;!--`;

const plane: Block = {
  type: 'plot',
  plot: {
    kind: 'scatter',
    title: MARKUP,
    axes: [
      { label: MARKUP, unit: 'usd' },
      { label: 'Losses', unit: 'count' },
    ],
    points: [
      { name: MARKUP, values: [1, 2], says: MARKUP },
      { name: 'other', values: [2, 1], mark: MARKUP },
    ],
  },
};

/** What stands between the head and the foot of a page. */
function mainOf(blocks: readonly Block[]): string {
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(renderHtml(blocks)) ?? [];
  return main;
}

describe('renderHtml', () => {
  it('has the first heading as its title, then the verdict, and everything else in its order', () => {
    const main = mainOf([
      { type: 'heading', level: 2, text: 'What to change' },
      { type: 'lines', lines: ['Try it.', ''] },
      { type: 'table', columns: [{ title: 'Change' }, { title: 'Cost' }], rows: [['none', '$1']] },
      { type: 'lines', lines: ['one', 'two'], areItems: true },
    ]);
    expect(main.replaceAll('\n', '')).toBe(
      '<section id="overview"><h1>What to change</h1><div class="verdict"><p>Try it.</p></div><div class="scroll" role="region" tabindex="0" aria-label="Change"><table><thead><tr><th scope="col">Change</th><th scope="col" class="number">Cost</th></tr></thead><tbody><tr><th scope="row">none</th><td class="number">$1</td></tr></tbody></table></div><ul><li>one</li><li>two</li></ul></section>',
    );
  });

  it('links rows to the sections of their sessions, draws their contexts and marks what is bad', () => {
    const main = mainOf([
      {
        type: 'table',
        columns: [{ title: 'Session' }, { title: 'State', holds: 'words' }],
        rows: [
          [untrusted('one'), 'passed'],
          ['rest', 'failed'],
        ],
        about: ['one.jsonl'],
        isBad: [false, true],
      },
      { type: 'section', title: 'One', about: 'one.jsonl', blocks: [] },
    ]);
    expect(main).toContain('<th scope="row"><a href="#session-1">one</a></th>');
    expect(main).toContain('<tr class="bad"><th scope="row">rest</th>');
    expect(main).toContain('<section id="session-1" class="session">');
  });

  it('shows texts from outside, and obeys none of them', () => {
    const whole = renderHtml([
      { type: 'heading', level: 2, text: untrusted(MARKUP) },
      { type: 'lines', lines: [untrusted(MARKUP)] },
      { type: 'list', title: 'Left out', items: [untrusted(MARKUP)] },
      { type: 'table', columns: [{ title: untrusted(MARKUP) }], rows: [[untrusted(MARKUP)]] },
      { type: 'snippet', where: 'Write:', code: MARKUP },
      plane,
    ]);
    const page = whole.replace(readLibrary(), '');
    expect(page).not.toContain('<img');
    expect(page).not.toContain('\u202e');
    expect(page.split(SHOWN).length).toBeGreaterThan(8);
    expect(page.match(/<!--/g)).toBeNull();
    expect(page.match(/<script/g)).toHaveLength(page.match(/<\/script>/g)?.length ?? 0);
  });

  it('leaves out what is for another format, and tables without rows', () => {
    const main = mainOf([
      { type: 'lines', lines: ['for a terminal'], only: 'terminal' },
      { type: 'table', columns: [{ title: 'Change' }], rows: [] },
      { type: 'list', title: 'Left out', items: [] },
    ]);
    expect(main.replaceAll('\n', '')).toBe(
      '<section id="overview"><h1>compaction-bench</h1></section>',
    );
  });

  it('is the same bytes each time, with the library only where there is a chart', () => {
    expect(renderHtml([plane])).toBe(renderHtml([plane]));
    expect(renderHtml([plane]).length).toBeLessThan(1_000_000);
    expect(renderHtml([{ type: 'lines', lines: ['nothing'] }]).length).toBeLessThan(40_000);
    expect(withTag(renderHtml([]), 'a1')).toContain('<html lang="en" data-tag="a1">');
  });

  it('has scripts that parse, and leave no import or export behind', () => {
    const scripts = [...renderHtml([]).matchAll(/<script>(.*?)<\/script>/gs)].map(([, one]) => one);
    expect(scripts).toHaveLength(1);
    expect(scripts[0]).not.toMatch(/^\s*(?:import|export)\b/m);
    expect(() => runInNewContext(`() => {${scripts[0]}}`)).not.toThrow();
  });
});

describe('renderSvg', () => {
  it('draws the first chart of a document as a file without variables', () => {
    const svg = renderSvg([{ type: 'section', title: '', about: '', blocks: [plane] }]);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
    expect(svg).not.toContain('var(--');
    expect(svg).not.toContain('<img');
  });
});
