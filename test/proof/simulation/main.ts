// npm run simulate -- --seeds N [--from K] [--jobs 2]   runs seeds; a failure prints its seed and a shrunk story
//                     --seed N                           replays one seed and prints its whole story
//                     --focus 'FAULT;FAULT'              has these faults in every seed
//                     --teeth [--only NAME] [--seeds N]  plants each mistake and says how many seeds it took
import { bundleWorker, checkMutation } from './bundle.ts'
import type { Mutation } from './mutations/mutation.ts'
import { focusOf, mutations } from './mutations.ts'
import { type Report, sweep } from './workers.ts'

const args = process.argv.slice(2)
const has = (name: string): boolean => args.includes(name)
const option = (name: string, otherwise: string): string => {
  const at = args.indexOf(name)
  return at < 0 ? otherwise : (args[at + 1] ?? otherwise)
}
const print = (text: string): void => void process.stdout.write(`${text}\n`)

const jobs = Number(option('--jobs', '2'))
const from = Number(option('--from', '1'))
/** Faults that every seed has, separated by semicolons. */
const focus = has('--focus') ? [`--focus=${option('--focus', '')}`] : []

function tellFailure({ seed, violations, shrunk, story }: Report): void {
  print(`\nSEED ${seed} FAILS`)
  for (const violation of violations.slice(0, 5)) print(`  ${violation}`)
  if (shrunk !== null) print(`\nThe smallest configuration that fails alike:\n${JSON.stringify(shrunk)}`)
  print(`\nThe last ${story.length} events:\n${story.join('\n')}\n`)
  print(`Replay: npm run simulate -- --seed ${seed}`)
}

async function replay(seed: number): Promise<number> {
  const worker = await bundleWorker(null)
  const [report] = await sweep({ worker, from: seed, count: 1, jobs: 1, flags: ['--story', ...focus] })
  if (report === undefined) return 1
  print(report.story.join('\n'))
  for (const violation of report.violations) print(`VIOLATION ${violation}`)
  print(`${report.requests} requests, ${report.deaths} deaths, digest ${report.digest}`)
  return report.violations.length === 0 ? 0 : 1
}

async function runSeeds(count: number): Promise<number> {
  const worker = await bundleWorker(null)
  const began = performance.now()
  let done = 0
  let wrong = 0
  const onReport = (report: Report): undefined => {
    done += 1
    if (report.violations.length > 0) {
      wrong += 1
      tellFailure(report)
    }
    if (done % 250 === 0)
      print(`${done} seeds in ${Math.round((performance.now() - began) / 1_000)} s, ${wrong} failed`)
  }
  const reports = await sweep({ worker, from, count, jobs, flags: ['--shrink', ...focus], onReport })
  const failed = reports.filter(({ violations }) => violations.length > 0)
  const sum = (of: (report: Report) => number): number => reports.reduce((total, one) => total + of(one), 0)
  const seconds = (performance.now() - began) / 1_000
  print(
    `${reports.length} seeds in ${Math.round(seconds)} s (${Math.round((reports.length / seconds) * 60)} a minute): ` +
      `${sum((one) => one.requests)} requests, ${sum((one) => one.deaths)} deaths, ` +
      `${Math.round(sum((one) => one.worldMs) / 86_400_000)} days; ${failed.length} failed` +
      `${failed.length === 0 ? '' : `: ${failed.map(({ seed }) => seed).join(', ')}`}`,
  )
  return failed.length === 0 ? 0 : 1
}

/** Seeds until the mistake is caught, and by which violation; null when so many do not catch it. */
async function bite(mutation: Mutation, count: number): Promise<{ seeds: number; by: string } | null> {
  const worker = await bundleWorker(mutation)
  const onReport = ({ violations }: Report): boolean => violations.length > 0
  const reports = await sweep({
    worker,
    from,
    count,
    jobs,
    flags: ['--stop', ...focusOf(mutation)],
    onReport,
  })
  const caught = reports.find(({ violations }) => violations.length > 0)
  return caught === undefined
    ? null
    : { seeds: caught.seed - from + 1, by: caught.violations[0]!.split('\n')[0]! }
}

async function teeth(count: number): Promise<number> {
  const only = option('--only', '')
  const chosen = mutations.filter(({ name }) => name.includes(only))
  for (const mutation of chosen) await checkMutation(mutation)
  let missed = 0
  print('| mistake | seeds | caught by |\n| --- | --- | --- |')
  for (const mutation of chosen) {
    const caught = await bite(mutation, count)
    if (caught === null) missed += 1
    const by = caught === null ? '**not caught**' : caught.by.replace(/\d{6,}/g, '…').slice(0, 110)
    print(`| ${mutation.name} | ${caught?.seeds ?? `> ${count}`} | ${by.replaceAll('|', '/')} |`)
  }
  print(`\n${chosen.length - missed} of ${chosen.length} mistakes caught`)
  return missed === 0 ? 0 : 1
}

if (has('--seed')) process.exitCode = await replay(Number(option('--seed', '1')))
else if (has('--teeth')) process.exitCode = await teeth(Number(option('--seeds', '400')))
else process.exitCode = await runSeeds(Number(option('--seeds', '200')))
