/** Rooms by name: the files that are mutated, the tests that judge them, and the per cent of mutants that these must kill. */
export const rooms = {
  setup: { mutate: ['src/simulator/setup/*.ts'], tests: ['simulator/setup/*'], least: 85 },
  bill: {
    mutate: ['src/simulator/provider/{prices,usage}.ts'],
    tests: ['simulator/provider/{bill,catalog,prices,usage}'],
    least: 85,
  },
  gate: { mutate: ['src/simulator/sweep/gate/*.ts'], tests: ['simulator/sweep/gate/*'], least: 85 },
  verdicts: {
    mutate: ['src/simulator/metrics/statistics/*.ts', 'src/simulator/sweep/answer/find-answer.ts'],
    tests: [
      'simulator/metrics/statistics/*',
      'simulator/report/judge-tried',
      'simulator/sweep/answer/*',
    ],
    least: 85,
  },
  facts: {
    mutate: ['src/simulator/metrics/quality/*.ts'],
    tests: ['simulator/metrics/quality/*', 'scripts/agreement'],
    least: 85,
  },
  needs: {
    mutate: [
      'src/simulator/replay/references/*.ts',
      'src/simulator/metrics/{totals,fidelity,explain}.ts',
    ],
    tests: [
      'simulator/replay/{references/*,closed-loop,recorded}',
      'simulator/metrics/{fold,regret,rereads,tell-loss,window-cause}',
      'scripts/{agreement,agreement/losses}',
    ],
    least: 85,
  },
  'engine/prune': {
    mutate: ['src/engine/{prune/*,prune-policy}.ts'],
    tests: ['engine/{prune,presets}/*', 'engine/{explain,policy,state-clone}'],
    least: 90,
  },
  'engine/pivot': {
    mutate: ['src/engine/{pivot/*,session-summary}.ts'],
    tests: [
      'engine/{pivot,cases}/*',
      'engine/{guards*,loop-failure,loop-refusal,prompts,session-summary,tail}',
      'engine/presets/{alternatives,documents,frameworks,peers}',
    ],
    least: 90,
  },
  'engine/view': {
    mutate: ['src/engine/{file-calls,history,latest,message,render,values,view}.ts'],
    tests: [
      'engine/{history*,latest,memory,message,render,values,view*}',
      'engine/{cases,pivot,presets,prune}/*',
    ],
    least: 90,
  },
  'engine/trigger': {
    mutate: ['src/engine/{conditions,errors/*,estimate,overflow,peer-overflow,usable,usage}.ts'],
    tests: [
      'engine/{conditions,count-units,estimate,overflow,usable,usage*}',
      'engine/{errors/*,cases/retry}',
      'engine/presets/{peers,trigger-table}',
    ],
    least: 90,
  },
  'engine/loop': {
    mutate: ['src/engine/{checks,create-state,decide,guards,loop,memory,state}.ts'],
    tests: [
      'engine/{caller-errors,checks,guards*,hooks,loop,memory,state-clone}',
      'engine/loop-{failure,model-changed,open-calls,queued,refusal,trigger}',
      'engine/{cases,presets}/*',
      'engine/pivot/background',
    ],
    least: 90,
  },
  'engine/laws': {
    mutate: ['src/engine/{invariants/*,check,check-policy,expect,explain}.ts'],
    tests: [
      'engine/{invariants/*,caller-errors,conditions,explain,policy}',
      'engine/{pivot/background,presets/measured-usage,prune/*}',
    ],
    least: 90,
  },
};
