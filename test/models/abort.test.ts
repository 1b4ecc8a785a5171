import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { onAbort } from '../../models/abort.ts'
import { systemClock } from '../../models/clock.ts'

it('calls everyone once when the signal aborts, except those who unsubscribed', () => {
  const controller = new AbortController()
  const called: number[] = []
  onAbort(controller.signal, () => called.push(1))
  const letGo = onAbort(controller.signal, () => called.push(2))
  onAbort(controller.signal, () => called.push(3))
  letGo()
  controller.abort()
  expect(called).toEqual([1, 3])
})

it('calls at once for a signal that has already aborted, also from within a call', () => {
  const controller = new AbortController()
  const called: string[] = []
  onAbort(controller.signal, () => {
    called.push('first')
    onAbort(controller.signal, () => called.push('within'))
  })
  controller.abort()
  onAbort(controller.signal, () => called.push('after'))
  expect(called).toEqual(['first', 'within', 'after'])
})

it('gives a signal one listener, however many wait for it', async () => {
  const controller = new AbortController()
  const sleeping = Array.from({ length: 1_000 }, () => systemClock.sleep(60_000, controller.signal))
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
  controller.abort()
  await Promise.all(sleeping)
})
