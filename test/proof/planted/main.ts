// The long version of test/proof/planted.test.ts: each mistake alone, over many seeds.
//   npm run planted -- --seeds 10 [--from 1] [--days 30] [--only TEXT]
import { parseArgs } from 'node:util'
import { mistakes } from './mistakes.ts'
import { faultsOf, runPlanted } from './run.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '3' },
    from: { type: 'string', default: '1' },
    days: { type: 'string', default: '30' },
    only: { type: 'string', default: '' },
  },
})
const chosen = mistakes.filter(({ name }) => name.includes(values.only))
let failed = 0
for (let seed = Number(values.from); seed < Number(values.from) + Number(values.seeds); seed += 1) {
  for (const mistake of [null, ...chosen]) {
    const run = await runPlanted(seed, Number(values.days), mistake === null ? [] : [mistake])
    const faults = faultsOf(run)
    const what = mistake?.name ?? 'nothing is planted'
    const outcome = run.unfitting.length > 0 ? 'no fitting record' : faults.length === 0 ? 'ok' : 'FAILED'
    process.stdout.write(`seed ${seed}: ${what}: ${outcome}\n`)
    for (const fault of faults) process.stdout.write(`  ${fault}\n`)
    failed += faults.length === 0 ? 0 : 1
  }
}
process.exitCode = failed === 0 ? 0 : 1
