// Words by the code under which rows of numbers name them, which is their position in a list.

export class Words {
  readonly #codes = new Map<string, number>()

  codeOf(word: string): number
  codeOf(word: string | null): number | null
  codeOf(word: string | null): number | null {
    if (word === null) return null
    let code = this.#codes.get(word)
    if (code === undefined) {
      code = this.#codes.size
      this.#codes.set(word, code)
    }
    return code
  }

  list(): string[] {
    return [...this.#codes.keys()]
  }
}
