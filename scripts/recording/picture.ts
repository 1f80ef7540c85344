import { deflateSync } from 'node:zlib';
import type { ImageScript } from './script.ts';

const WIDTH = 64;
const HEIGHT = 32;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const CRC_POLYNOMIAL = 0xedb88320;
/** One bit a pixel, in grey, not interlaced. */
const ONE_BIT_GREY = [1, 0, 0, 0, 0];

/** A small PNG of black bars on white, each as high as its value in pixels. */
export function drawBars(filename: string, bars: readonly number[]): ImageScript {
  const rows = Array.from({ length: HEIGHT }, (_, y) => drawRow(bars, HEIGHT - y));
  // Stored, not compressed: the same bytes with every release of zlib.
  const pixels = deflateSync(Buffer.concat(rows), { level: 0 });
  const png = Buffer.concat([
    SIGNATURE,
    toChunk('IHDR', headerBytes()),
    toChunk('IDAT', pixels),
    toChunk('IEND', Buffer.alloc(0)),
  ]);
  return { filename, dataUrl: `data:image/png;base64,${png.toString('base64')}` };
}

function headerBytes(): Buffer {
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32BE(WIDTH, 0);
  sizes.writeUInt32BE(HEIGHT, 4);
  return Buffer.concat([sizes, Buffer.from(ONE_BIT_GREY)]);
}

// The first byte of a row says that it is not filtered.
function drawRow(bars: readonly number[], height: number): Buffer {
  const row = Buffer.alloc(1 + WIDTH / 8, 0xff);
  row[0] = 0;
  const barWidth = Math.floor(WIDTH / bars.length);
  for (let x = 0; x < WIDTH; x += 1) {
    const isGap = x % barWidth < 2;
    if (isGap || height > (bars[Math.floor(x / barWidth)] ?? 0)) continue;
    const place = 1 + (x >> 3);
    row[place] = (row[place] ?? 0) & ~(0x80 >> (x & 7));
  }
  return row;
}

function toChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
