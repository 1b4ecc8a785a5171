// Holdings by acquisition: the quantity left and its cost.
import type { HoldingRow, LotRow, Lots as LotsAnswer, UnknownBasisRow } from '../../pipeline/serve/api.ts'
import { Amount } from '../parts/amount.tsx'
import { AccountFilter, CoinFilter, Filters, Pager, Tabs } from '../parts/filters.tsx'
import { ProofLink } from '../parts/marks.tsx'
import { Prose } from '../parts/prose.tsx'
import { Head, Section } from '../parts/section.tsx'
import { Answered, Empty } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { useAnswer } from '../state/answer.ts'
import { addressOf, parameters, refine } from '../state/router.ts'
import { count, matchedBy } from '../words/plain.ts'

const NAMES = ['account', 'coin']

export function Lots() {
  const { account, coin, cursor, show } = parameters.value
  const filters = { account, coin }
  const answer = useAnswer<LotsAnswer>('/api/lots', { ...filters, cursor })
  return (
    <>
      <Head title="Lots">
        What is held, by acquisition.
        {matchedBy(answer.data?.matching ?? null)}
      </Head>
      <Filters names={NAMES}>
        <AccountFilter />
        <CoinFilter />
        <Tabs
          name="show"
          label="What to show"
          first="holdings"
          choices={[
            { value: 'holdings', label: 'Holdings' },
            { value: 'lots', label: 'Open lots' },
          ]}
        />
      </Filters>
      <Answered answer={answer} what="the lots">
        {(data) => (
          <>
            <Unknown rows={data.unknownBasis.rows} sql={data.unknownBasis.sql} filters={filters} />
            {show === 'lots' ? (
              <Open data={data} filters={filters} />
            ) : (
              <Holdings rows={data.holdings.rows} sql={data.holdings.sql} filters={filters} />
            )}
          </>
        )}
      </Answered>
    </>
  )
}

interface Filtered {
  readonly filters: { readonly account: string | undefined; readonly coin: string | undefined }
}

function Unknown({
  rows,
  sql,
  filters,
}: { readonly rows: readonly UnknownBasisRow[]; readonly sql: string } & Filtered) {
  if (rows.length === 0) return null
  return (
    <Section
      title="Without a known cost"
      says={
        <Prose text="Disposals from lots whose cost is not known. They have no gain until you fill in the list that `tieout worksheet` writes, and import it as opening lots." />
      }
      sql={sql}
      csv={{ view: 'unknown-basis', filters }}
    >
      <Table
        caption="Quantities without a known cost"
        rows={rows}
        keyOf={(row) => `${row.account} ${row.coin}`}
        columns={[
          { kind: 'row', head: 'Account', value: ({ account }) => account },
          { kind: 'text', head: 'Coin', value: ({ coin }) => coin },
          { kind: 'amount', head: 'Quantity without a known lot', value: ({ quantity }) => quantity },
          {
            kind: 'amount',
            head: 'From lots with unknown cost',
            value: ({ unvalued_quantity }) => unvalued_quantity,
          },
          {
            kind: 'number',
            head: 'Disposals',
            value: ({ disposals }) => disposals,
            show: ({ account, coin, disposals }) => (
              <a href={addressOf('gains', { account, coin, known: 'no' })}>
                <Amount value={String(disposals)} />
              </a>
            ),
          },
        ]}
      />
    </Section>
  )
}

function Holdings({
  rows,
  sql,
  filters,
}: { readonly rows: readonly HoldingRow[]; readonly sql: string } & Filtered) {
  return (
    <Section
      title={count(rows.length, 'holding')}
      says="Totals of the open lots by account and coin."
      sql={sql}
      csv={{ view: 'holdings', filters }}
    >
      {rows.length === 0 ? (
        <Empty title="No open lots match these filters.">
          Clear a filter, or look for disposals under gains.
        </Empty>
      ) : (
        <Table
          caption="Holdings by account and coin"
          rows={rows}
          keyOf={(row) => `${row.account} ${row.coin}`}
          columns={[
            { kind: 'row', head: 'Account', value: ({ account }) => account },
            { kind: 'text', head: 'Coin', value: ({ coin }) => coin },
            { kind: 'amount', head: 'Quantity', value: ({ quantity_left }) => quantity_left },
            { kind: 'amount', head: 'Cost', value: ({ cost_basis_left }) => cost_basis_left },
            { kind: 'text', head: 'Currency', value: ({ currency }) => currency },
            {
              kind: 'amount',
              head: 'With unknown cost',
              value: ({ quantity_without_basis }) => quantity_without_basis,
            },
            {
              kind: 'number',
              head: 'Lots',
              value: ({ lots }) => lots,
              show: ({ account, coin, lots }) => (
                <button
                  type="button"
                  class="link"
                  onClick={() => refine({ account, coin, show: 'lots', cursor: undefined })}
                >
                  {lots}
                  <span class="unseen">
                    {' '}
                    lots of {coin} in {account}
                  </span>
                </button>
              ),
            },
          ]}
        />
      )}
    </Section>
  )
}

function Open({ data, filters }: { readonly data: LotsAnswer } & Filtered) {
  const { rows, sql, next } = data.lots
  return (
    <Section
      title="Open lots"
      says="Oldest first within an account and coin."
      sql={sql}
      csv={{ view: 'lots', filters }}
    >
      {rows.length === 0 ? (
        <Empty title="No open lots match these filters.">
          Clear a filter, or look for disposals under gains.
        </Empty>
      ) : (
        <>
          <Table<LotRow>
            caption="Open lots"
            rows={rows}
            keyOf={(row) => `${row.account} ${row.lot_id} ${row.acquired_at} ${row.quantity_left}`}
            columns={[
              {
                kind: 'row',
                head: 'Lot',
                value: ({ lot_id }) => lot_id,
                show: ({ lot_id }) => (lot_id === null ? 'pool' : <ProofLink id={lot_id} length={26} />),
              },
              { kind: 'text', head: 'Account', value: ({ account }) => account },
              { kind: 'text', head: 'Coin', value: ({ coin }) => coin },
              { kind: 'time', head: 'Acquired, UTC', value: ({ acquired_at }) => acquired_at },
              { kind: 'amount', head: 'Quantity left', value: ({ quantity_left }) => quantity_left },
              { kind: 'amount', head: 'Cost left', value: ({ cost_basis_left }) => cost_basis_left },
              { kind: 'text', head: 'Currency', value: ({ currency }) => currency },
            ]}
          />
          <Pager next={next} shown={rows.length} />
        </>
      )}
    </Section>
  )
}
