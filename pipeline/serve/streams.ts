// Answers that are sent as they are made. A failure half-way breaks the connection, so that no reader takes a part for the
// whole; one who leaves ends what was being made for him.

export interface Ending {
  /** Runs once: after the last piece, a failure, or when the reader has left. */
  readonly end?: () => void
  /** Ends the connection where it stands, and hears of the failure. */
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
          // The reader left meanwhile.
          if (isOver) return
          if (done === true) {
            finish()
            controller.close()
          } else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
        } catch (error) {
          if (isOver) return
          finish()
          // The server below would end the answer properly, with the error's text as its last words.
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

/** One object a line. */
export async function* linesOf(objects: AsyncIterable<unknown>): AsyncIterable<string> {
  for await (const object of objects) yield `${JSON.stringify(object)}\n`
}
