import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WorkloadFile } from '../src/simulator/scenario/workload/workload.ts';
import { corpusWorkloads } from './workloads/corpora.ts';
import { StatisticsFile } from './workloads/statistics.ts';
import { traceLabWorkload } from './workloads/tracelab.ts';

const ROOT = resolve(import.meta.dirname, '..');
const INDENT = 2;
const [statisticsFile = join(ROOT, '../shared/reference/session-statistics.json')] =
  process.argv.slice(2);

const statistics = StatisticsFile.parse(JSON.parse(readFileSync(statisticsFile, 'utf8')));
const fitted = corpusWorkloads(statistics);
mkdirSync(join(ROOT, 'workloads'), { recursive: true });
for (const workload of [...fitted, traceLabWorkload(fitted)]) {
  const path = `workloads/${workload.name}.json`;
  const text = JSON.stringify(WorkloadFile.parse(workload), undefined, INDENT);
  writeFileSync(join(ROOT, path), `${text}\n`);
  console.log(path);
}
