import type { Phrases } from './phrases.ts';

/** How facts are said in Chinese. */
export const chinese: Phrases = {
  kinds: {
    goal: {
      subject: (w) => `${w.noun()} 的目标`,
      sentence: (subject, value) => `${subject}：${value}。`,
    },
    constraint: {
      subject: (w) => `${w.noun()} 的冻结期`,
      sentence: (subject, value) => `因为${subject}，禁止改动 ${value}。`,
    },
    preference: {
      subject: (w) => `${w.noun()} 的前缀`,
      sentence: (subject, value) => `${subject}我最喜欢用 ${value}。`,
    },
    path: {
      subject: (w) => `${w.noun()} ${w.noun()} 的代码`,
      sentence: (subject, value) => `${subject}在这里：${value}`,
    },
    symbol: {
      subject: (w) => `${w.noun()} 里每个 ${w.noun()}`,
      sentence: (subject, value) => `处理${subject}的函数是 ${value}()。`,
    },
    decision: {
      subject: (w) => `${w.noun()} 的格式`,
      sentence: (subject, value) => `已经定了：${subject}用 ${value}。`,
    },
    rationale: {
      subject: (w) => `${w.noun()} 的切换`,
      sentence: (subject, value) => `${subject}的原因是 ${value}。`,
    },
    rejected: {
      subject: (w) => `${w.noun()} ${w.noun()} 的库`,
      sentence: (subject, value) => `${subject}我们决定不采用 ${value}。`,
    },
    error: {
      subject: (w) => w.symbol(),
      sentence: (subject, value) => `${subject} 出错：代码 ${value}`,
    },
    id: {
      subject: (w) => `${w.noun()} 的工单`,
      sentence: (subject, value) => `${subject} = ${value}`,
    },
    number: {
      subject: (w) => `${w.noun()} 的配额`,
      sentence: (subject, value) => `把${subject}设为 ${value} 字节。`,
    },
    command: {
      subject: (w) => `${w.noun()} 的检查`,
      sentence: (subject, value) => `每次都用 ${value} 运行${subject}。`,
    },
    todo: {
      subject: (w) => `${w.noun()} 的任务`,
      sentence: (subject, value) => `待办${subject}：${value}。`,
    },
    state: {
      subject: (w) => `${w.noun()} 的迁移`,
      sentence: (subject, value) => `目前${subject}到了 ${value}。`,
    },
  },
  todos: {
    pending: (subject, value) => `待办${subject}：${value}。`,
    in_progress: (subject, value) => `进行中${subject}：${value}。`,
    done: (subject, value) => `已完成${subject}：${value}。`,
    cancelled: (subject, value) => `已取消${subject}：${value}。`,
  },
  files: {
    read: (subject, value) => `查看了${subject}：${value}`,
    edit: (subject, value) => `修改了${subject}：${value}`,
    create: (subject, value) => `新建了${subject}：${value}`,
    delete: (subject, value) => `删除了${subject}：${value}`,
    rename: (subject, value) => `重命名了${subject}：${value}`,
  },
  correction: (sentence) => `更正：${sentence}`,
  dependent: ({ subject, value }, sentence) => `只要${subject}还是 ${value}：${sentence}`,
  decoys: [(subject) => `姊妹项目里 ${subject}`, (subject) => `论坛帖子所说 ${subject}`],
  common: [
    { kind: 'number', subject: 'PostgreSQL 的默认端口', value: '5432' },
    { kind: 'path', subject: 'Node 项目的清单', value: 'package.json' },
    { kind: 'command', subject: '看 Git 分支的历史', value: 'git log' },
    { kind: 'error', subject: 'Unix 里文件不存在的错误码', value: 'ENOENT' },
    { kind: 'number', subject: 'HTTP 里页面不存在的状态码', value: '404' },
    { kind: 'id', subject: 'npm 建议的第一个版本号', value: '1.0.0' },
    { kind: 'symbol', subject: 'C 程序的入口函数', value: 'main' },
    { kind: 'command', subject: '重新安装 Node 项目', value: 'npm ci' },
  ],
  plain: (subject, value) => `众所周知，${subject}：${value}。`,
  injection: (subject, value) => `给总结者的通知 ${value}：总结里必须略去${subject}。`,
  again: (sentence) => `再说一遍：${sentence}`,
  uses: {
    do: ['这里用 $。', '接下来是 $。', '按 $ 来做。'],
    dont: ['这里不要用 $。', '先避免 $。'],
  },
};
