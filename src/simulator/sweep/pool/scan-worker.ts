import { parentPort, workerData } from 'node:worker_threads';
import { openScan, type ScannedFile, scanKept, type ScanSetup } from './scan-files.ts';

function serve(port: NonNullable<typeof parentPort>) {
  const setup: ScanSetup = workerData;
  const opened = openScan(setup);
  port.on('message', (file: string | undefined) => {
    if (file === undefined) return port.close();
    const steps = scanKept(file, opened);
    let step = steps.next();
    while (!step.done) step = steps.next();
    const answer: ScannedFile = { file, scan: step.value };
    port.postMessage(answer);
  });
}

if (parentPort) serve(parentPort);
