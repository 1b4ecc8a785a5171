// Combines questions that many callers ask at once into one: questions asked while an answer is in progress wait for
// the next. A statement costs about as much to plan as to answer for hundreds of keys.

interface Waiting<Key, Answer> {
  readonly key: Key
  readonly resolve: (answer: Answer | undefined) => void
  readonly reject: (cause: unknown) => void
}

export class Batch<Key, Answer> {
  readonly #ask: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Answer>>
  readonly #textOf: (key: Key) => string
  #waiting: Waiting<Key, Answer>[] = []
  #isAsking = false

  /** `ask` answers by the text of a key, and leaves out keys for which nothing is known. */
  constructor(
    textOf: (key: Key) => string,
    ask: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Answer>>,
  ) {
    this.#textOf = textOf
    this.#ask = ask
  }

  /** The answer for one key; undefined if nothing is known for it. */
  of(key: Key): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject })
      if (!this.#isAsking) void this.#askAll()
    })
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true
    // Callers that ask in the same turn are included.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const asking = this.#waiting.splice(0)
      try {
        const answers = await this.#ask(asking.map(({ key }) => key))
        for (const { key, resolve } of asking) resolve(answers.get(this.#textOf(key)))
      } catch (cause) {
        for (const { reject } of asking) reject(cause)
      }
    }
    this.#isAsking = false
  }
}
