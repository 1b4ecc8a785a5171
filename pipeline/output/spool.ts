// What has to be read a second time, in the order in which it was written: in memory while it is small, beyond that in a
// file that nobody else can open and that is gone with the process, however that ends.
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { UsageError } from '../../models/error.ts'
import { systemWords } from '../../models/system-error.ts'
import { makeSpillFolder } from './spill.ts'

/** Bytes kept in memory; most reports need no file. */
const HELD_BYTES = 4 * 1024 * 1024

export class Spool {
  readonly #tempDir: string | undefined
  readonly #heldBytes: number
  #held: Uint8Array[] = []
  #size = 0
  #file: FileHandle | null = null
  /** Lengths of the pieces that are in the file. */
  readonly #lengths: number[] = []
  #place = tmpdir()
  #isClosed = false

  /** `tempDir` is the folder tmp of the books; if it cannot be written, the system's is used. */
  constructor(tempDir?: string, heldBytes = HELD_BYTES) {
    this.#tempDir = tempDir
    this.#heldBytes = heldBytes
  }

  /** The piece must not be changed afterwards. UsageError if there is no room for it. */
  async add(piece: Uint8Array): Promise<void> {
    this.#held.push(piece)
    this.#size += piece.length
    if (this.#size <= this.#heldBytes) return
    await this.#attempt(async () => {
      this.#file ??= await this.#open()
      await this.#file.appendFile(Buffer.concat(this.#held))
    })
    for (const one of this.#held) this.#lengths.push(one.length)
    this.#held = []
    this.#size = 0
  }

  /** The pieces as they were added. */
  async *pieces(): AsyncIterable<Uint8Array> {
    let position = 0
    for (const length of this.#lengths) {
      yield await this.#attempt(() => this.#read(position, length))
      position += length
    }
    yield* this.#held
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#held = []
    await this.#file?.close()
  }

  async #open(): Promise<FileHandle> {
    // A reader that gave up may have left a writer behind.
    if (this.#isClosed) throw new Error('a file that has been closed')
    const folder = makeSpillFolder(this.#tempDir)
    if (folder.path === '') throw new Error('no folder that can be written')
    this.#place = dirname(folder.path)
    try {
      return await open(join(folder.path, 'spool'), 'wx+', 0o600)
    } finally {
      // An open file outlives its name.
      folder.remove()
    }
  }

  async #read(position: number, length: number): Promise<Uint8Array> {
    const piece = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await (this.#file as FileHandle).read(
        piece,
        filled,
        length - filled,
        position + filled,
      )
      if (bytesRead === 0) throw new Error('a file that has become shorter')
      filled += bytesRead
    }
    return piece
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    return await work().catch((cause: unknown) => {
      throw new UsageError('The rows of the report cannot be kept in a temporary file.', {
        where: this.#place,
        expected: 'a folder that can be written, with room for the rows',
        found: cause instanceof Error && 'code' in cause ? systemWords(cause) : (cause as Error).message,
        action: 'Make room there, or use --format csv or json, which need no such file.',
        cause,
      })
    })
  }
}
