// Questions that many ask at once, put as one: what is asked while an answer is under way waits for the next. A statement
// costs about as much to plan as to answer for hundreds.

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

  /** `ask` answers by the text of a key, and leaves out what it knows nothing of. */
  constructor(
    textOf: (key: Key) => string,
    ask: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Answer>>,
  ) {
    this.#textOf = textOf
    this.#ask = ask
  }

  /** The answer for one key; undefined where nothing is known of it. */
  of(key: Key): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject })
      if (!this.#isAsking) void this.#askAll()
    })
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true
    // Whoever asks in the same turn comes along.
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
