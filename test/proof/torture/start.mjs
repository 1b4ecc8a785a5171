// The command line of the torture, compiled and begun.
import { begin } from '../../support/bundle.mjs'

await begin('test/proof/torture/main.ts')
