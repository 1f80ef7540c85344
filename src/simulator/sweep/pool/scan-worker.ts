import { parentPort, workerData } from 'node:worker_threads';
import type { Scan } from '../run/task.ts';
import { openScan, type ScannedFile, scanKept, type ScanSetup } from './scan-files.ts';

function serve(port: NonNullable<typeof parentPort>) {
  const setup: ScanSetup = workerData;
  const opened = openScan(setup);
  port.on('message', (file: string | undefined) => {
    if (file === undefined) return port.close();
    const answer: ScannedFile = { file, scan: allOf(scanKept(file, opened)) };
    port.postMessage(answer);
  });
}

function allOf(steps: Generator<void, Scan, void>) {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

if (parentPort) serve(parentPort);
