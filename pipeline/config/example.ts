// The commented configuration that `tieout init` writes. It must read back unchanged through the schema.

import { ECB_URL } from '../../connectors/prices/ecb-rates.ts'

/** A configuration for the venue itself, with every key explained; `rules` are those that there are. */
export function exampleConfig(baseUrl: string, rules: string): string {
  return `# tieout: the books of one or more trading accounts.
# Every key is optional except one account. An unknown key is an error.

venue:
  # Where the API stands.
  base_url: ${baseUrl}
  # Documented rates can be overridden, and endpoints share a budget by naming one group. tax.futuresRecords and
  # tax.p2pRecords share the group v2-tax unless another one is named for them:
  # budgets:
  #   tax.futuresRecords: { count: 1, per_ms: 1000, group: futures-alone }
  # What this machine's address may send over all endpoints; the venue's limit is 6000 a minute:
  # ip_budget: { count: 100, per_ms: 1000 }
  # How many days the venue remembers, where it is known to differ:
  # retention_days: { tax.p2pRecords: 730 }
  # How many days one request may span, where the venue takes more than is documented:
  # span_days: { broker.customers: 90 }

history:
  # How far back to read; without it, all that the venue still has.
  # since: 2026-01-01
  # Which feeds to read; without it, all that apply to an account. \`tieout endpoints\` lists them.
  # feeds: [tax.records, trade.orderHistory]

accounts:
  # A name of your choice. The credentials come from the environment:
  #   TIEOUT_MAIN_KEY, TIEOUT_MAIN_SECRET, TIEOUT_MAIN_PASSPHRASE
  # and, for the tax records, those of a tax API key:
  #   TIEOUT_MAIN_TAX_KEY, TIEOUT_MAIN_TAX_SECRET, TIEOUT_MAIN_TAX_PASSPHRASE
  # Keys need no permission but reading.
  main:
    # Needed for a classic account, whose own uid no reading endpoint tells.
    # uid: "123456789"
    credentials: env
    # How balances are kept, if the data should not decide: unified or per-line.
    # balances: unified
    # What transfers of the P2P wallet are, where the account bought and sold there and its records show nothing else:
    # trades (each is the funding leg of a purchase or sale), reversed (the sign is the other way round) or moves.
    # p2p_transfers: trades
  # desk-2:
  #   credentials: file   # section desk-2 in credentials.yaml beside this file, mode 600

reports:
  # Reporting currency; without it, the one that most trades are in.
  # currency: USDT
  # What the published lots follow, and reports of gains when nothing else is asked for:
  # rules: us             # ${rules}
  # method: fifo          # by tax year: "fifo,2025:hifo"
  # time_zone: America/New_York
  # A fee that is kept back from the coins bought: disposal (they were bought and spent), or net (they never came), where
  # the rules leave the choice:
  # fees_in_kind: disposal
  # Losses that earlier returns left over, brought into the first tax year that these books are to calculate, in the currency of
  # the return (under us with the long-term part of them):
  # losses: { into: 2025, amount: "4000", long_term: "1500" }

# Prices of what the books cannot value by themselves: fees in a third coin, income, money of another state.
prices:
  # Who is asked for them: by nightly and \`tieout prices fetch\`, for the coins and days that the books need, and for nothing
  # else. No key is sent. Remove a source, and it is never asked; without any, prices come from your own files and trades.
  sources:
    # The venue's own hourly and daily candles.
    candles: {}
    # The reference rates of the European Central Bank, from its public data service.
    ecb: { url: ${ECB_URL} }
  # Which prices count. One of a later source is used only where none of an earlier one still counts (a price counts for a
  # day, one between two currencies of states for five), however much fresher it is. ltv and marks are what the venue values
  # lending and positions at whenever they are fetched; trades are one's own on the order book, p2p one's own private deals;
  # others stands for every source that is not named, such as your files. A source that is left out values nothing.
  # order: [others, ecb, candles, ltv, marks, trades, p2p]

# Who is told when nightly or sync fails, or when nightly finds new breaks. A small JSON without amounts, secrets or
# personal data: to the standard input of a command (no shell), by POST to a URL (https), or both.
# notify:
#   command: [/usr/local/bin/page-me, --tieout]
#   url: https://example.com/hook
#   on: [failure, new_breaks]

# How much memory and how many threads the database takes: by default half of the memory and all processors that this
# machine, or the cgroup of a container, allows. A reader (report, sql, export) takes half of that. What goes beyond it
# is kept on disk in tmp/ meanwhile: with less memory a build takes longer. 1GB is enough for four million entries.
# engine:
#   memory: 8GB           # or 512MB, 2GiB
#   threads: 4
#   # Books that outgrow one machine are built on a ClickHouse server (docs/clickhouse.md). User and password come from
#   # TIEOUT_CLICKHOUSE_USER and TIEOUT_CLICKHOUSE_PASSWORD; ca_file is for a certificate of an authority of your own:
#   clickhouse: { url: https://clickhouse.example.com:8443, database: tieout, ca_file: /etc/ssl/clickhouse-ca.pem }

privacy:
  # Names, payment details, e-mails and mobiles are published as null unless this is true.
  publish_personal_data: false
`
}
