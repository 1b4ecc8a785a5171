// Tests of one file that run beside each other, because they mostly wait: for the pause before a retry, or for a budget.
import { AsyncLocalStorage } from 'node:async_hooks'
import { aroundEach, onTestFinished, type TestContext } from 'vitest'

/** More would need memory for their books, and compute at the same time until they run out of theirs. */
const AT_ONCE = 8

const running = new AsyncLocalStorage<TestContext>()

/** Called once by a file whose tests are concurrent, and fewer than vitest's `maxConcurrency`. */
export function fewAtOnce(): void {
  let free = AT_ONCE
  const waiting: (() => void)[] = []
  aroundEach(async (run, context) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    await running.run(context, run).finally(() => {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    })
  }, 1_200_000)
}

/** `onTestFinished`, which among tests beside each other takes the one that began last for the current one. */
export const whenTestEnds = (clean: () => unknown): void =>
  (running.getStore()?.onTestFinished ?? onTestFinished)(async () => void (await clean()))
