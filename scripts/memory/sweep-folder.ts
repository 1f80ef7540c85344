import { Writable } from 'node:stream';
import { main } from '../../src/cli/main.ts';

const KILOBYTES_PER_MB = 1_000;
const [folder = '', out = ''] = process.argv.slice(2);

/** A stream that drops what is printed: it is as long as there are sessions, and nobody keeps it. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

const code = await main(
  ['--no-cache', 'sweep', folder, '--vary', 'protect=10k,20k', '--jobs', '1', '--out', out],
  {
    stdin: process.stdin,
    stdout: nowhere(),
    stderr: nowhere(),
    env: {},
    signal: new AbortController().signal,
    now: () => performance.now(),
  },
);
if (code !== 0) throw new Error(`The sweep ended with ${code}.`);
console.log(Math.round(process.resourceUsage().maxRSS / KILOBYTES_PER_MB));
