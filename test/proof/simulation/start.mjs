// The command line of the simulator, compiled and begun.
import { begin } from '../../support/bundle.mjs'

await begin('test/proof/simulation/main.ts')
