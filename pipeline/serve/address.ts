// Where the page is when nothing else is asked for.

export const DEFAULT_PORT = 4711

/** It alone lets nobody in: the address that `serve` prints holds a code. */
export const DEFAULT_ADDRESS = `http://127.0.0.1:${DEFAULT_PORT}/`
