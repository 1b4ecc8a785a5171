// A venue that repeats our own secrets, in an answer or in a refusal: the journal holds neither, and says of each frame how
// many were taken out, whoever recorded it.
import { expect, test } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import { booksOfTest, settings, syncFeeds } from '../support/sync.ts'
import { access, envelope, loopback, refusal, START } from '../support/venue.ts'

const contracts = findEndpoint('futures.contracts')!
const taxRecords = findEndpoint('tax.records')!
const secret = access.api!.secret

test('what the recorder journals from the venue contains no secret of ours and is marked: settings, pages and refusals', async () => {
  const { venue, clock, settle } = await loopback(({ path }, response) => {
    if (path.startsWith(settings.path)) response.end(envelope({ uid: '1001', remark: secret }))
    else if (path.startsWith(contracts.path)) response.end(envelope([], { traceId: secret }))
    else response.end(refusal('40014', `no permission for ${secret} and ${access.tax!.key}`))
  })
  const books = await booksOfTest(clock)
  await settle(
    syncFeeds(books, venue, clock, {
      feeds: [contracts, taxRecords],
      since: START - 86_400_000,
    }),
  )
  const marks: unknown[] = []
  for await (const { meta, body } of books.journal.read()) {
    expect(`${JSON.stringify(meta)} ${Buffer.from(body ?? [])}`).not.toMatch(
      new RegExp(`${secret}|${access.tax!.key}`),
    )
    if (meta.kind === 'page' || meta.kind === 'refusal') marks.push([meta.feed, meta.kind, meta.redacted])
  }
  expect(marks.toSorted()).toEqual([
    ['account.settings', 'page', 1],
    ['futures.contracts', 'page', 1],
    ['futures.contracts', 'page', 1],
    ['futures.contracts', 'page', 1],
    ['tax.records', 'refusal', 2],
  ])
})
