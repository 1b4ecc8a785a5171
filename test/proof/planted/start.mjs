// The command line of the planted mistakes, compiled and begun.
import { begin } from '../../support/bundle.mjs'

await begin('test/proof/planted/main.ts')
