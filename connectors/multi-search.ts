// Finds several byte strings in one pass, with one step for each byte whatever the strings and the text are (Aho and
// Corasick, 1975). A secret consisting of one repeated letter, or a text made to look like one, costs no more.

const BYTES = 256

export class MultiSearch {
  /** The next state for each state and byte. A state is how much of which string the last bytes match. */
  readonly #next: Int32Array
  /** For each state the strings that end there, longest first. */
  readonly #endings: readonly (readonly number[])[]
  #state = 0

  constructor(strings: readonly Uint8Array[]) {
    const size = strings.reduce((sum, { length }) => sum + length, 1)
    const next = new Int32Array(size * BYTES)
    const own: number[][] = [[]]
    for (const [index, bytes] of strings.entries()) {
      let state = 0
      for (const byte of bytes) {
        const at = state * BYTES + byte
        if (next[at] === 0) next[at] = own.push([]) - 1
        state = next[at] as number
      }
      own[state]?.push(index)
    }
    this.#next = next
    this.#endings = complete(next, own)
  }

  /** Back to the state in which nothing has been seen. */
  reset(): void {
    this.#state = 0
  }

  /** Takes the next byte; returns the strings that end with it, by their index in the list, longest first. */
  push(byte: number): readonly number[] {
    this.#state = this.#next[this.#state * BYTES + byte] as number
    return this.#endings[this.#state] as readonly number[]
  }
}

/** Where a string cannot continue, its longest suffix that begins a string does; level by level, in place. */
function complete(next: Int32Array, own: readonly number[][]): (readonly number[])[] {
  const endings: (readonly number[])[] = [...own]
  const fallback = new Int32Array(own.length)
  const queue = [0]
  for (const state of queue) {
    const back = fallback[state] as number
    if (state !== 0) endings[state] = [...(own[state] ?? []), ...(endings[back] ?? [])]
    for (let byte = 0; byte < BYTES; byte += 1) {
      const child = next[state * BYTES + byte] as number
      const elsewhere = state === 0 ? 0 : (next[back * BYTES + byte] as number)
      if (child === 0) next[state * BYTES + byte] = elsewhere
      else {
        fallback[child] = elsewhere
        queue.push(child)
      }
    }
  }
  return endings
}
