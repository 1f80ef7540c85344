/** A format for whoever chooses one. */
export interface FormatFacts {
  readonly extension: string;
  readonly describes: string;
  /** Events are kept for it. */
  readonly needsEvents?: true;
}

/** The formats of a report of runs, without what renders them. */
export const RUN_FORMATS = {
  table: { extension: '.txt', describes: 'The key numbers of each run, for a terminal.' },
  json: {
    extension: '.json',
    describes:
      'Everything, for programs: provenance, every metric of every run, unreadable inputs.',
  },
  csv: {
    extension: '.csv',
    describes: 'One row per run with every metric; an empty cell means unknown.',
  },
  markdown: {
    extension: '.md',
    describes: 'A report to read: policies, sessions, every metric, unreadable inputs, provenance.',
  },
  html: {
    needsEvents: true,
    extension: '.html',
    describes: 'One page for a browser: tables, charts, every session step by step.',
  },
  svg: {
    needsEvents: true,
    extension: '.svg',
    describes: 'The first chart of the page as a picture: cost against losses, or one run by step.',
  },
  otel: {
    needsEvents: true,
    extension: '.otlp',
    describes: "OpenTelemetry spans in OTLP's JSON, one a request, for tracing tools.",
  },
} satisfies Readonly<Record<string, FormatFacts>>;
