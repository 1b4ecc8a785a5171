// Reports as filed, and the same reports today: which lines differ, and which inputs changed.
import type { FilingDifference, FilingRow, Filings as FilingsAnswer } from '../../pipeline/serve/api.ts'
import { Icon } from '../parts/icon.tsx'
import { Badge, Hash, Instant } from '../parts/marks.tsx'
import { Command, Prose } from '../parts/prose.tsx'
import { Head, Section } from '../parts/section.tsx'
import { Answered, Empty } from '../parts/states.tsx'
import { columnsOf, Table } from '../parts/table.tsx'
import { useAnswer } from '../state/answer.ts'
import { parameters, refine } from '../state/router.ts'
import { count } from '../words/plain.ts'

export function Filings() {
  const answer = useAnswer<FilingsAnswer>('/api/filings')
  const chosen = parameters.value.filing
  return (
    <>
      <Head title="Filings">Reports as they were filed, compared with what the books say today.</Head>
      {chosen === undefined ? null : <Difference key={chosen} name={chosen} />}
      <Answered answer={answer} what="the filings">
        {({ filings }) => (
          <Section title={count(filings.length, 'filing')}>
            {filings.length === 0 ? (
              <Empty title="No report has been frozen yet.">
                <Prose text="When you file a report, keep it: `tieout report gains --year 2026 --freeze NAME`. From then on, this view shows whether later records have changed it." />
              </Empty>
            ) : (
              <List rows={filings} chosen={chosen} />
            )}
          </Section>
        )}
      </Answered>
    </>
  )
}

function List({
  rows,
  chosen,
}: {
  readonly rows: readonly FilingRow[]
  readonly chosen: string | undefined
}) {
  return (
    <Table
      caption="Filings, newest first"
      rows={rows}
      keyOf={({ name }) => name}
      isChosen={({ name }) => name === chosen}
      columns={[
        {
          kind: 'row',
          head: 'Name',
          value: ({ name }) => name,
          show: ({ name }) => (
            <button type="button" class="link" onClick={() => refine({ filing: name })}>
              {name}
            </button>
          ),
        },
        {
          kind: 'text',
          head: 'Report',
          value: ({ title, report, problem }) => problem ?? (title === '' ? report : title),
          wraps: true,
        },
        { kind: 'time', head: 'Frozen, UTC', value: ({ frozenAt }) => (frozenAt === '' ? null : frozenAt) },
        { kind: 'number', head: 'Lines', value: ({ lines }) => lines },
        {
          kind: 'text',
          head: 'Ledger then',
          value: ({ ledgerHash }) => ledgerHash,
          show: ({ ledgerHash }) =>
            ledgerHash === '' ? (
              'cannot be read'
            ) : (
              <Hash text={ledgerHash} what="ledger hash of the filing" />
            ),
        },
      ]}
    />
  )
}

function Difference({ name }: { readonly name: string }) {
  const answer = useAnswer<FilingDifference>(`/api/filings/${encodeURIComponent(name)}`)
  return (
    <Answered answer={answer} what={`${name} and the same report today`}>
      {({ filing, columns, rows, notes, command }) => (
        <Section
          title={filing.name}
          says={
            <>
              {filing.title}, frozen <Instant at={filing.frozenAt} /> UTC by tieout {filing.version}
            </>
          }
          csv={{ view: 'filing', filters: { name } }}
          tools={
            <button type="button" class="button small" onClick={() => refine({ filing: undefined })}>
              <Icon name="close" /> Close
            </button>
          }
        >
          <p class={rows.length === 0 ? 'verdict good' : 'verdict warn'}>
            {rows.length === 0
              ? 'The same report gives the same figures today.'
              : `${count(rows.length, 'figure')} would differ today.`}
          </p>
          {rows.length === 0 ? null : (
            <div class="difference">
              <Badge tone="warn">differs</Badge>
              <Table
                caption="What differs today"
                rows={rows}
                keyOf={(row) => JSON.stringify(row)}
                columns={columnsOf(columns)}
              />
            </div>
          )}
          <ul class="run-notes">
            {notes.map((note) => (
              <li key={note}>
                <Prose text={note} />
              </li>
            ))}
          </ul>
          <Command text={command} says="On the command line" />
        </Section>
      )}
    </Answered>
  )
}
