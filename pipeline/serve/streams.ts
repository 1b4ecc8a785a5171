// Answers that are sent as they are produced. A failure half-way breaks the connection, so that no reader mistakes a part for
// the whole. If the reader leaves, producing the answer ends.

export interface Ending {
  /** Runs once: after the last piece, a failure, or when the reader has left. */
  readonly end?: () => void
  /** Breaks the connection immediately; called with the failure. */
  readonly breakOff: (error: unknown) => void
}

/** The pieces as a body. */
export function bodyOf(
  pieces: AsyncIterable<string | Uint8Array>,
  { end = () => {}, breakOff }: Ending,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = pieces[Symbol.asyncIterator]()
  let isOver = false
  const finish = (): void => {
    if (isOver) return
    isOver = true
    end()
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await iterator.next()
          // The reader has left in the meantime.
          if (isOver) return
          if (done === true) {
            finish()
            controller.close()
          } else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
        } catch (error) {
          if (isOver) return
          finish()
          // The HTTP server would otherwise end the answer normally, with the error's text at its end.
          breakOff(error)
          controller.close()
        }
      },
      cancel: async () => {
        finish()
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

/** One object per line. */
export async function* linesOf(objects: AsyncIterable<unknown>): AsyncIterable<string> {
  for await (const object of objects) yield `${JSON.stringify(object)}\n`
}
