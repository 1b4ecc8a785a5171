// npm run torture -- --kills N --corruptions M [--seed S] [--minutes T] [--jobs J]
// Real processes are killed, and finished books damaged, at places that the seed chooses; a failure keeps its books.
import { availableParallelism } from 'node:os'
import { corruptOften } from './corruptions.ts'
import { killOften } from './kills.ts'
import { makeWorld } from './world.ts'

const args = process.argv.slice(2)
const option = (name: string, otherwise: number): number => {
  const at = args.indexOf(`--${name}`)
  return at < 0 ? otherwise : Number(args[at + 1])
}
const print = (text: string): void => void process.stdout.write(`${text}\n`)

const began = performance.now()
let told = began

/** A line every few seconds, and every failure at once. */
function tell(text: string): void {
  const now = performance.now()
  if (now - told < 10_000 && !text.startsWith('FAILS')) return
  told = now
  print(`${Math.round((now - began) / 1_000)} s: ${text}`)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const world = await makeWorld()
print(`${Math.round((performance.now() - began) / 1_000)} s: ${world.stages.length} steps taken unharmed`)
try {
  const campaign = {
    seed: String(option('seed', 1)),
    jobs: option('jobs', availableParallelism()),
    until: began + option('minutes', 120) * 60_000,
    tell,
  }
  const killed = await killOften(world, option('kills', 0), campaign)
  print(`${killed.kills} kills in ${killed.rounds} rounds: ${killed.failures.length} failures`)
  print(`  by place: ${JSON.stringify(killed.byPlace)}`)
  print(`  by step: ${JSON.stringify(killed.byStage)}`)
  const corrupted = await corruptOften(world, option('corruptions', 0), campaign)
  print(
    `${corrupted.cases} corrupted files: ${corrupted.refused} refused, ${corrupted.same} without effect, ` +
      `${corrupted.healed} healed by rebuild or build, ${corrupted.failures.length} failures`,
  )
  for (const [file, counts] of Object.entries(corrupted.byFile)) print(`  ${file}: ${JSON.stringify(counts)}`)
  process.exitCode = killed.failures.length + corrupted.failures.length === 0 ? 0 : 1
} finally {
  await world.close(process.exitCode !== 0)
}
