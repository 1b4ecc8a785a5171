// Answers that are sent as they are made. A failure half-way breaks the connection, so that no reader takes a part for the
// whole; one who leaves ends what was being made for him.

/** The pieces as a body. `end` runs once, after the last piece, a failure, or when the reader has left. */
export function bodyOf(
  pieces: AsyncIterable<string | Uint8Array>,
  end: () => void = () => {},
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
          if (done === true) {
            finish()
            controller.close()
          } else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
        } catch (error) {
          finish()
          controller.error(error)
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
