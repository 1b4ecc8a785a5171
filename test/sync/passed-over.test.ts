// How many windows of a feed may be skipped, by what has arrived of it.
import { describe, expect, it } from 'vitest'
import { Skips } from '../../pipeline/sync/passed-over.ts'

const times = (count: number, work: () => void): void => {
  for (let nth = 0; nth < count; nth += 1) work()
}

describe('as long as no page of a feed has arrived', () => {
  it('eight windows may be skipped, and from the third on it is time for halves', () => {
    const skips = new Skips()
    times(2, () => skips.skipped())
    expect([skips.isInDoubt, skips.another(0)]).toEqual([false, true])
    skips.skipped()
    expect([skips.isInDoubt, skips.another(0)]).toEqual([true, true])
    times(4, () => skips.skipped())
    expect(skips.another(0)).toBe(true)
    skips.skipped()
    expect(skips.another(0)).toBe(false)
  })

  it('other partitions are requested only after one or two missing answers', () => {
    const skips = new Skips()
    expect(skips.goesOn).toBe(false)
    skips.unanswered()
    expect(skips.goesOn).toBe(true)
    skips.unanswered()
    expect(skips.goesOn).toBe(true)
    skips.unanswered()
    expect(skips.goesOn).toBe(false)
  })
})

describe('once a page has arrived', () => {
  it('sixty windows of a partition may be skipped, whatever was before', () => {
    const skips = new Skips()
    times(9, () => skips.skipped())
    skips.had(false)
    expect([skips.hasHad, skips.isInDoubt]).toEqual([true, false])
    expect([skips.another(0), skips.another(59), skips.another(60)]).toEqual([true, true, false])
  })

  it('nine missing answers in a row end a partition, and eighteen the feed; a page begins anew', () => {
    const skips = new Skips()
    skips.had(false)
    times(8, () => skips.unanswered())
    expect([skips.another(0), skips.goesOn]).toEqual([true, true])
    skips.unanswered()
    expect([skips.another(0), skips.goesOn]).toEqual([false, true])
    times(8, () => skips.unanswered())
    expect(skips.goesOn).toBe(true)
    skips.unanswered()
    expect(skips.goesOn).toBe(false)
    skips.had(false)
    expect([skips.another(0), skips.goesOn]).toEqual([true, true])
  })

  it('only first pages arrive if three cursors led nowhere, until one leads on', () => {
    const skips = new Skips()
    times(2, () => skips.hadNoneByCursor())
    expect(skips.onlyFirstPages).toBe(false)
    skips.hadNoneByCursor()
    skips.had(false)
    expect(skips.onlyFirstPages).toBe(true)
    skips.had(true)
    expect(skips.onlyFirstPages).toBe(false)
  })
})
