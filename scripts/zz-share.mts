import { loadSessions } from '../src/simulator/session/load.ts';
import { policies } from '../src/engine/index.ts';
import { compileSession } from '../src/simulator/replay/compile.ts';
import { loadTokenizer } from '../src/simulator/tokens/tokenizer.ts';
import { createCountCache } from '../src/simulator/tokens/count-cache.ts';
import { readCatalog } from '../src/simulator/provider/catalog.ts';
import { findModel } from '../src/simulator/provider/find-model.ts';
import { findSummarizer } from '../src/simulator/summarizer/summarizers.ts';
import { runTrace } from '../src/simulator/replay/run-trace.ts';
import { prepareBound } from '../src/simulator/metrics/bound/find-bound.ts';
import { foldRun } from '../src/simulator/metrics/fold.ts';
import { recordRun } from '../src/simulator/metrics/record.ts';
const model = findModel(readCatalog(), 'anthropic/claude-sonnet-4-5');
const cache = createCountCache(await loadTokenizer('o200k_base'));
const t={read:0,compile:0,ref:0,control:0,run:0,record:0}; let steps=0, sessions=0;
const time=<T,>(k: keyof typeof t,f:()=>T)=>{const s=performance.now();const r=f();t[k]+=performance.now()-s;return r;};
const loaded = time('read',()=>[...loadSessions(process.argv.slice(2))]) as any[];
for (const s of loaded) {
    const session = s.session;
    if (!session?.messages) { continue; }
    sessions++;
    const trace = time('compile',()=>compileSession(session,{tokenizer:'o200k_base',tokenizerEvidence:'estimated',count:(x:string)=>cache.count(x)} as any));
    time('ref',()=>trace.references());
    const summarizer=findSummarizer('extractive');
    const control = time('control',()=>foldRun(runTrace(trace,{policy:policies.none,model,summarizer,seed:1})));
    const policy = policies['opencode-1.2.16'];
    const events = time('run',()=>[...runTrace(trace,{policy,model,summarizer,seed:1})]);
    const rec = time('record',()=>recordRun({session:'x',policy:'p',model:'m',summarizer:'s',seed:1} as any,events,{control,runBound:prepareBound(trace,{policy,model,summarizer,seed:1} as any)}));
    steps+=rec.metrics.steps??0;
}
console.log(sessions, steps, t);
