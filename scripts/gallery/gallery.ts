import { join, resolve } from 'node:path';
import { readCatalog } from '../../src/simulator/provider/catalog.ts';
import type { ScenarioResult } from '../../src/simulator/report/check-report.ts';
import { renderSawtooth } from '../../src/simulator/report/sawtooth.ts';
import { readScenario } from '../../src/simulator/scenario/file/read-scenario.ts';
import type { Scenario } from '../../src/simulator/scenario/scenario.ts';
import { runScenario } from '../../src/simulator/sweep/gate/run-scenario.ts';
import { createCounters } from '../../src/simulator/tokens/tokenizer.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The scenarios that the gallery shows, by name. */
const SHOWN = ['server-window-smaller', 'irreducible-floor', 'result-between-checks'] as const;

const THREAD = /^(?<repository>[\w.-]+\/[\w.-]+)#(?<number>\d+)$/;

/** The failures in some scenarios, where each was reported, and how it looks. */
export async function renderGallery(): Promise<string> {
  const counters = createCounters();
  const environment = { catalog: readCatalog(), countOf: (id: string) => counters.of(id) };
  const sections: string[] = [];
  for (const name of SHOWN) {
    const scenario = readScenario(join(ROOT, 'scenarios', `${name}.yaml`));
    sections.push(renderSection(scenario, await runScenario(scenario, environment)));
  }
  return sections.join('\n');
}

function renderSection({ name, why, sources, runs }: Scenario, result: ScenarioResult): string {
  const run = result.runs[shownIndex(runs)];
  if (!result.passed || run === undefined) throw new Error(`Expected '${name}' to pass.`);
  const where = sources.flatMap(toLink).join(', ');
  const from = where === '' ? '' : ` Reported in ${where}.`;
  const file = `[\`${name}\`](../scenarios/${name}.yaml)`;
  const title = `${run.name}, ${run.policy}, ${run.state}`;
  const picture = `${title}\n${renderSawtooth(run.events)}`;
  return `${file}: ${toLine(why)}${from}\n\n\`\`\`text\n${picture}\`\`\`\n`;
}

/** The run that shows the failure, else the first. */
function shownIndex(runs: Scenario['runs']): number {
  return Math.max(
    0,
    runs.findIndex(({ expect }) => expect.reproduces !== undefined),
  );
}

function toLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** A link to a thread, as an issue, which leads to a pull request too; other sources have none. */
function toLink(source: string): readonly string[] {
  const { repository, number } = THREAD.exec(source)?.groups ?? {};
  if (repository === undefined || number === undefined) return [];
  return [`[${source}](https://github.com/${repository}/issues/${number})`];
}
