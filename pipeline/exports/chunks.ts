// Small pieces of text combined: a disk write for each would cost more than producing them.
const CHUNK_LENGTH = 1 << 16

export async function* inChunks(pieces: AsyncIterable<string>): AsyncIterable<string> {
  let chunk = ''
  for await (const piece of pieces) {
    chunk += piece
    if (chunk.length < CHUNK_LENGTH) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}
