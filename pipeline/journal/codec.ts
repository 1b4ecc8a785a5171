// How bodies are stored: the frame has a byte for the codec, so that others can be added later. Synchronous on purpose:
// for pages of 63 KB it is faster than the thread pool, and every run behaves the same.
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib'

/** The byte of a codec is its index in this list. */
export const CODECS = ['raw', 'gzip', 'brotli'] as const
export type Codec = (typeof CODECS)[number]

/** Below this, compression costs more than it saves. */
const SMALL_BYTES = 128

/** Compresses with the codec, or keeps the body raw if that is no longer. */
export function compress(codec: Codec, body: Uint8Array): { codec: number; stored: Uint8Array } {
  const raw = { codec: CODECS.indexOf('raw'), stored: body }
  if (codec === 'raw' || body.length < SMALL_BYTES) return raw
  const stored = codec === 'gzip' ? gzipSync(body, { level: 1 }) : brotli(body)
  return stored.length < body.length ? { codec: CODECS.indexOf(codec), stored } : raw
}

function brotli(body: Uint8Array): Buffer {
  return brotliCompressSync(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 1,
      // Without the size hint, a window of 4 MB is set up for every page, at twice the cost.
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  })
}

/**
 * The body as received, in memory of its own. Throws zlib's error if the stored bytes are damaged or longer than the
 * body was.
 */
export function decompress(codec: Codec, stored: Uint8Array, bodyBytes: number): Buffer {
  if (codec === 'raw') return Buffer.from(stored)
  // One chunk for the whole body saves copying; zlib requires at least 64 bytes.
  const options = { maxOutputLength: Math.max(1, bodyBytes), chunkSize: Math.max(64, bodyBytes + 1) }
  return codec === 'gzip' ? gunzipSync(stored, options) : brotliDecompressSync(stored, options)
}
