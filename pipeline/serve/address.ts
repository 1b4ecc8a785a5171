// The default address of the page.

export const DEFAULT_PORT = 4711

/** It does not give access by itself: the address that `serve` prints contains a code. */
export const DEFAULT_ADDRESS = `http://127.0.0.1:${DEFAULT_PORT}/`
