const DATA_MIME = /^data:([^;,]+)/;

/** The kind of data that an address holds itself; absent where it points elsewhere or says nothing of it. */
export function mimeIn(url: string): string | undefined {
  return DATA_MIME.exec(url)?.[1];
}
