// What each account holds, by wallet and coin: the balance in the books, the venue's, and its history.
import type {
  AccountRow,
  Accounts as AccountsAnswer,
  BalanceHistory,
  BalanceRow,
  TrialBalanceRow,
} from '../../pipeline/serve/api.ts'
import { Figure } from '../charts/figure.tsx'
import { Lines } from '../charts/lines.tsx'
import { AccountFilter, CoinFilter, DayFilters, Filters, Tabs, WalletFilter } from '../parts/filters.tsx'
import { Badge } from '../parts/marks.tsx'
import { Head, Section } from '../parts/section.tsx'
import { Answered, Empty } from '../parts/states.tsx'
import { Table, type TableColumn } from '../parts/table.tsx'
import { useAnswer } from '../state/answer.ts'
import { about } from '../state/books.ts'
import { addressOf, parameters } from '../state/router.ts'
import { digitsOf } from '../words/digits.ts'
import { IMPORT, importedSql } from '../words/imported.ts'
import { count } from '../words/plain.ts'
import { dayInWords } from '../words/times.ts'

const NAMES = ['account', 'ledger', 'coin', 'from', 'to', 'holding']

export function Accounts() {
  const { account, ledger, coin, from, to, show } = parameters.value
  const filters = { account, ledger, coin, from, to }
  const answer = useAnswer<AccountsAnswer>('/api/accounts', filters)
  return (
    <>
      <Head title="Accounts">
        Balances in the books, each the sum of its entries, next to the last balance the venue reported.
      </Head>
      <Filters names={NAMES}>
        <AccountFilter />
        {show === 'list' ? null : (
          <>
            <WalletFilter />
            <CoinFilter />
          </>
        )}
        <Tabs
          name="show"
          label="What to show"
          first="balances"
          choices={[
            { value: 'balances', label: 'Balances' },
            { value: 'trial', label: 'Trial balance' },
            { value: 'list', label: 'Accounts' },
          ]}
        />
        {show === 'trial' || isOne(filters) ? <DayFilters /> : null}
      </Filters>
      {isOne(filters) ? (
        <History
          account={account as string}
          ledger={ledger as string}
          coin={coin as string}
          from={from}
          to={to}
        />
      ) : null}
      <Answered answer={answer} what="the balances">
        {(data) =>
          show === 'trial' ? (
            <Trial data={data} />
          ) : show === 'list' ? (
            <List data={data} />
          ) : (
            <Balances data={data} />
          )
        }
      </Answered>
    </>
  )
}

function isOne({
  account,
  ledger,
  coin,
}: {
  readonly account: string | undefined
  readonly ledger: string | undefined
  readonly coin: string | undefined
}): boolean {
  const known = [about.value?.accounts, about.value?.ledgers, about.value?.coins]
  return [account, ledger, coin].every(
    (one, at) => one !== undefined && (!one.includes(',') || known[at]?.includes(one) === true),
  )
}

const WHERE: readonly TableColumn<{
  readonly account: string
  readonly ledger: string
  readonly coin: string
}>[] = [
  { kind: 'row', head: 'Account', value: ({ account }) => account },
  { kind: 'text', head: 'Wallet', value: ({ ledger }) => ledger },
  {
    kind: 'text',
    head: 'Coin',
    value: ({ coin }) => coin,
    show: ({ account, ledger, coin }) => (
      <a
        href={addressOf('accounts', { account, ledger, coin })}
        title={`History of ${coin} in ${account} ${ledger}`}
      >
        {coin}
      </a>
    ),
  },
]

function keyOf({
  account,
  ledger,
  coin,
}: {
  readonly account: string
  readonly ledger: string
  readonly coin: string
}): string {
  return JSON.stringify([account, ledger, coin])
}

function Balances({ data }: { readonly data: AccountsAnswer }) {
  const { account, ledger, coin } = parameters.value
  const { rows, sql } = data.balances
  const apart = rows.filter(differs).length
  return (
    <Section
      title="Balances"
      says={
        apart === 0
          ? 'Every balance that the venue reports equals the balance in the books.'
          : `${count(apart, 'balance differs', 'balances differ')} from the last balance the venue reported.`
      }
      sql={sql}
      csv={{ view: 'balances', filters: { account, ledger, coin } }}
    >
      {rows.length === 0 ? (
        <Empty title="No balances match these filters.">Clear a filter, or choose another account.</Empty>
      ) : (
        <Table
          caption="Balances by account, wallet and coin"
          rows={rows}
          keyOf={keyOf}
          columns={[
            ...WHERE,
            {
              kind: 'amount',
              head: 'Books',
              says: 'Each links to its entries, or to its imported rows',
              value: ({ quantity }) => quantity,
              link: ({ account, ledger, coin }) => ({
                href:
                  ledger === IMPORT
                    ? addressOf('console', { sql: importedSql({ account, coin }) })
                    : addressOf('ledger', { account, ledger, coin }),
                title:
                  ledger === IMPORT
                    ? `Query for the imported rows of ${coin} in ${account}`
                    : `Entries of ${coin} in ${account} ${ledger}`,
              }),
            },
            { kind: 'amount', head: 'Venue', value: ({ venue_balance }) => venue_balance },
            {
              kind: 'amount',
              head: 'Difference',
              value: ({ difference }) => difference,
              show: (row) =>
                row.difference === null || !differs(row) ? (
                  <Tied row={row} />
                ) : (
                  <Badge tone="bad">{row.difference}</Badge>
                ),
            },
            { kind: 'amount', head: 'Borrowed', value: ({ borrowed }) => borrowed },
            {
              kind: 'amount',
              head: `Own, in ${about.value?.currency ?? 'the reporting currency'}`,
              value: ({ own_value }) => own_value,
            },
            { kind: 'time', head: 'As of', value: ({ as_of }) => as_of, isExtra: true },
          ]}
        />
      )}
    </Section>
  )
}

function differs({ difference }: BalanceRow): boolean {
  return difference !== null && /[1-9]/.test(difference)
}

function Tied({ row }: { readonly row: BalanceRow }) {
  return row.difference === null ? (
    <span class="quiet">not reported</span>
  ) : (
    <Badge tone="good">ties out</Badge>
  )
}

function Trial({ data }: { readonly data: AccountsAnswer }) {
  const { account, ledger, coin, from: asked, to: askedTo } = parameters.value
  const { rows, sql } = data.trialBalance
  const { from, to } = data.period
  const isChosen = asked !== undefined || askedTo !== undefined
  return (
    <Section
      title={titleOf(data.period)}
      says={
        isChosen
          ? 'Opening + in + out = closing, for the chosen days.'
          : 'No days are chosen, so this is the last month in the books. Opening + in + out = closing.'
      }
      sql={sql}
      csv={{
        view: 'trial-balance',
        filters: { account, ledger, coin, from: from ?? undefined, to: to ?? undefined },
      }}
    >
      {rows.length === 0 ? (
        <Empty title="Nothing was held or moved on these days.">Choose other days.</Empty>
      ) : (
        <Table<TrialBalanceRow>
          caption="Trial balance by account, wallet and coin"
          rows={rows}
          keyOf={keyOf}
          columns={[
            ...WHERE,
            { kind: 'amount', head: 'Opening', value: ({ opening }) => opening },
            { kind: 'amount', head: 'In', value: ({ incoming }) => incoming },
            { kind: 'amount', head: 'Out', value: ({ outgoing }) => outgoing },
            { kind: 'amount', head: 'Closing', value: ({ closing }) => closing },
          ]}
        />
      )}
    </Section>
  )
}

function titleOf({ from, to }: AccountsAnswer['period']): string {
  if (from !== null && to !== null) return `Trial balance, ${dayInWords(from)} to ${dayInWords(to)}`
  if (from !== null) return `Trial balance from ${dayInWords(from)} on`
  return to === null ? 'Trial balance' : `Trial balance up to ${dayInWords(to)}`
}

function List({ data }: { readonly data: AccountsAnswer }) {
  const { rows, sql } = data.accounts
  return (
    <Section
      title="Accounts in the books"
      sql={sql}
      csv={{ view: 'accounts', filters: { account: parameters.value.account } }}
    >
      <Table<AccountRow>
        caption="Accounts"
        rows={rows}
        keyOf={({ account }) => account}
        columns={[
          {
            kind: 'row',
            head: 'Account',
            value: ({ account }) => account,
            show: ({ account }) => <a href={addressOf('accounts', { account })}>{account}</a>,
          },
          { kind: 'text', head: 'Venue', value: ({ venue }) => venue },
          { kind: 'text', head: 'UID at the venue', value: ({ uid }) => uid },
          { kind: 'text', head: 'Kind', value: ({ kind }) => kind },
          { kind: 'text', head: 'Mode', value: ({ account_mode }) => account_mode },
        ]}
      />
    </Section>
  )
}

interface Chosen {
  readonly account: string
  readonly ledger: string
  readonly coin: string
  readonly from: string | undefined
  readonly to: string | undefined
}

function History(chosen: Chosen) {
  const answer = useAnswer<BalanceHistory>('/api/accounts/history', { ...chosen })
  const { account, ledger, coin } = chosen
  return (
    <Answered answer={answer} what="the history">
      {({ history: { rows, sql } }) => {
        const hasDebt = rows.some(
          ({ borrowed }) => digitsOf(borrowed).groups.join('') !== '0' || /[1-9]/.test(borrowed),
        )
        const last = rows.at(-1)
        return (
          <Section
            title={`${coin} in ${account}, ${ledger}`}
            says="At the end of each UTC day."
            sql={sql}
            csv={{ view: 'history', filters: { ...chosen } }}
          >
            {last === undefined ? (
              <Empty title="There is no history of this balance on these days.">Choose other days.</Empty>
            ) : (
              <Figure
                says={`Balance of ${coin} by day, from ${rows[0]?.quantity} on ${dayInWords(rows[0]?.day ?? last.day)} to ${last.quantity} on ${dayInWords(last.day)}.`}
                legend={hasDebt ? ['Balance', 'Borrowed'] : undefined}
                draw={(width) => (
                  <Lines
                    width={width}
                    height={220}
                    unit={coin}
                    isStepped
                    isFromZero
                    series={[
                      {
                        name: 'Balance',
                        points: rows.map(({ day, quantity }) => ({ day, value: quantity })),
                      },
                      ...(hasDebt
                        ? [
                            {
                              name: 'Borrowed',
                              points: rows.map(({ day, borrowed }) => ({ day, value: borrowed })),
                            },
                          ]
                        : []),
                    ]}
                  />
                )}
                table={() => (
                  <Table
                    caption={`Balance of ${coin} by day`}
                    rows={[...rows].reverse()}
                    keyOf={({ day }) => day}
                    columns={[
                      {
                        kind: 'row',
                        head: 'Day',
                        value: ({ day }) => day,
                        show: ({ day }) => (
                          <a href={addressOf('ledger', { account, ledger, coin, from: day, to: day })}>
                            {day}
                          </a>
                        ),
                      },
                      { kind: 'amount', head: 'Change', value: ({ change }) => change },
                      { kind: 'amount', head: 'Balance', value: ({ quantity }) => quantity },
                      { kind: 'amount', head: 'Borrowed', value: ({ borrowed }) => borrowed },
                      { kind: 'amount', head: `Value, ${last.currency ?? ''}`, value: ({ value }) => value },
                    ]}
                  />
                )}
              />
            )}
          </Section>
        )
      }}
    </Answered>
  )
}
