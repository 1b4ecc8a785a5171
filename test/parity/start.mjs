// The command line of the parity of engines, compiled and begun.
import { begin } from '../support/bundle.mjs'

await begin('test/parity/main.ts')
