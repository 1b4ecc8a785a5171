// The fuzzer's command line, compiled and begun.
import { begin, bundle } from '../../support/bundle.mjs'

const worker = await bundle('test/proof/fuzz/worker.ts')
const { main } = await begin('test/proof/fuzz/main.ts')
process.exitCode = await main(process.argv.slice(2), worker)
