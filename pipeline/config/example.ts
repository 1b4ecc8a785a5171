// The commented configuration that `tieout init` writes. It must read back unchanged through the schema.

import { ECB_URL } from '../../connectors/prices/ecb-rates.ts'

/** A configuration for the venue itself, with every key explained; `rules` are those available. */
export function exampleConfig(baseUrl: string, rules: string): string {
  return `# tieout: the books of one or more trading accounts.
# Every key is optional except one account. An unknown key is an error.

venue:
  # The address of the API.
  base_url: ${baseUrl}
  # Documented rates can be overridden, and endpoints share a budget by naming one group. tax.futuresRecords and
  # tax.p2pRecords share the group v2-tax unless you name another one for them:
  # budgets:
  #   tax.futuresRecords: { count: 1, per_ms: 1000, group: futures-alone }
  # Limit for this machine's address over all endpoints; the venue's limit is 6000 a minute:
  # ip_budget: { count: 100, per_ms: 1000 }
  # How many days the venue keeps records, where this is known to differ:
  # retention_days: { tax.p2pRecords: 730 }
  # How many days one request may span, where the venue accepts more than documented:
  # span_days: { broker.customers: 90 }

history:
  # How far back to read; by default, everything that the venue still has.
  # since: 2026-01-01
  # Which feeds to read; by default, all that apply to an account. \`tieout endpoints\` lists them.
  # feeds: [tax.records, trade.orderHistory]

accounts:
  # A name of your choice. The credentials come from the environment:
  #   TIEOUT_MAIN_KEY, TIEOUT_MAIN_SECRET, TIEOUT_MAIN_PASSPHRASE
  # and, for the tax records, those of a tax API key:
  #   TIEOUT_MAIN_TAX_KEY, TIEOUT_MAIN_TAX_SECRET, TIEOUT_MAIN_TAX_PASSPHRASE
  # Keys need only permission to read.
  main:
    # Needed for a classic account, because no reading endpoint returns its uid.
    # uid: "123456789"
    credentials: env
    # How balances are kept, to override what the data shows: unified or per-line.
    # balances: unified
    # How to treat transfers of the P2P wallet, if the account bought and sold there and its records show nothing else:
    # trades (each is the funding leg of a purchase or sale), reversed (moves with the opposite sign) or moves.
    # p2p_transfers: trades
  # desk-2:
  #   credentials: file   # section desk-2 in credentials.yaml beside this file, mode 600

reports:
  # Reporting currency; by default, the one that most trades are in.
  # currency: USDT
  # The method and rules of the published lots, and of reports of gains by default:
  # rules: us             # ${rules}
  # method: fifo          # by tax year: "fifo,2025:hifo"
  # time_zone: America/New_York
  # A fee deducted from the coins bought: disposal (they were bought and spent) or net (they were never received), where
  # the rules leave the choice:
  # fees_in_kind: disposal
  # Losses carried forward from earlier returns into the first tax year that these books calculate, in the currency of
  # the return (under us, with their long-term part):
  # losses: { into: 2025, amount: "4000", long_term: "1500" }

# Prices for what the books cannot value by themselves: fees in a third coin, income, foreign currency.
prices:
  # Sources that nightly and \`tieout prices fetch\` ask, for the coins and days that the books need and nothing else.
  # No key is sent. A source that you remove is never asked; with no source, prices come from your own files and trades.
  sources:
    # The venue's own hourly and daily candles.
    candles: {}
    # The reference rates of the European Central Bank, from its public data service.
    ecb: { url: ${ECB_URL} }
  # Which prices are used. A price from a later source is used only if no earlier source has a valid one (a price is
  # valid for a day, a rate between two fiat currencies for five), however much fresher it is. ltv and marks are the
  # venue's valuations of lending and positions whenever they are fetched; trades are your own on the order book, p2p
  # your own private deals; others means every source that is not named, such as your files. A source that is left out
  # is not used.
  # order: [others, ecb, candles, ltv, marks, trades, p2p]

# Who is notified when nightly or sync fails, or when nightly finds new breaks. A small JSON without amounts, secrets or
# personal data is sent to the standard input of a command (no shell), by POST to a URL (https), or both.
# notify:
#   command: [/usr/local/bin/page-me, --tieout]
#   url: https://example.com/hook
#   on: [failure, new_breaks]

# How much memory and how many threads the database uses: by default half of the memory and all processors that this
# machine, or the cgroup of a container, allows. A reader (report, sql, export) uses half of that. Anything beyond it
# spills to disk in tmp/, so a build takes longer with less memory. 1GB is enough for four million entries.
# engine:
#   memory: 8GB           # or 512MB, 2GiB
#   threads: 4
#   # Books too large for one machine are built on a ClickHouse server (docs/clickhouse.md). User and password come from
#   # TIEOUT_CLICKHOUSE_USER and TIEOUT_CLICKHOUSE_PASSWORD; ca_file is for the certificate of a private authority:
#   clickhouse: { url: https://clickhouse.example.com:8443, database: tieout, ca_file: /etc/ssl/clickhouse-ca.pem }

privacy:
  # Names, payment details, e-mail addresses and mobile numbers are published as null unless this is true.
  publish_personal_data: false
`
}
