// The commented configuration that `tieout init` writes. The schema must accept it unchanged.

import { ECB_URL } from '../../connectors/prices/ecb-rates.ts'

/** A configuration for the venue itself, with every key explained; `rules` lists the available ones. */
export function exampleConfig(baseUrl: string, rules: string): string {
  return `# tieout: the books of one or more trading accounts.
# Every key is optional, except that one account is required. An unknown key is an error.

venue:
  # Address of the API.
  base_url: ${baseUrl}
  # Documented rates can be overridden; endpoints that name the same group share a budget. tax.futuresRecords and
  # tax.p2pRecords share the group v2-tax unless you name another:
  # budgets:
  #   tax.futuresRecords: { count: 1, per_ms: 1000, group: futures-alone }
  # How many requests this machine's address may send to all endpoints; the venue's limit is 6000 per minute:
  # ip_budget: { count: 100, per_ms: 1000 }
  # How many days the venue keeps a feed's records, if you know that it differs from the documented retention:
  # retention_days: { tax.p2pRecords: 730 }
  # How many days one request may span, if the venue accepts more than is documented:
  # span_days: { broker.customers: 90 }

history:
  # How far back to read (default: as far as the venue still has records).
  # since: 2026-01-01
  # Which feeds to read (default: all that apply to an account). \`tieout endpoints\` lists them.
  # feeds: [tax.records, trade.orderHistory]

accounts:
  # A name of your choice. The credentials come from the environment:
  #   TIEOUT_MAIN_KEY, TIEOUT_MAIN_SECRET, TIEOUT_MAIN_PASSPHRASE
  # and, for the tax records, from those of a tax API key:
  #   TIEOUT_MAIN_TAX_KEY, TIEOUT_MAIN_TAX_SECRET, TIEOUT_MAIN_TAX_PASSPHRASE
  # Keys need read permission only.
  main:
    # Required for a classic account, because no read endpoint returns its uid.
    # uid: "123456789"
    credentials: env
    # How the account keeps its balances, instead of inferring it from the data: unified or per-line.
    # balances: unified
    # How to read transfers of the P2P wallet if the account bought and sold there and its records show only transfers:
    # trades (each is the funding leg of a purchase or sale), moves (plain transfers) or reversed (their sign is inverted).
    # p2p_transfers: trades
  # desk-2:
  #   credentials: file   # section desk-2 in credentials.yaml beside this file, mode 600

reports:
  # Reporting currency (default: the one that most trades are in).
  # currency: USDT
  # Matching of the published lots, and the default for reports of gains:
  # rules: us             # ${rules}
  # method: fifo          # by tax year: "fifo,2025:hifo"
  # time_zone: America/New_York
  # A fee withheld from the coins bought, if the rules leave the choice: disposal (they were bought and spent) or net (they
  # were never received):
  # fees_in_kind: disposal
  # Losses carried forward from earlier returns into the first tax year that these books calculate, in the currency of the
  # return (under us, with the long-term part):
  # losses: { into: 2025, amount: "4000", long_term: "1500" }

# Prices for what the books cannot value by themselves: fees in a third coin, income, foreign currency.
prices:
  # Sources from which nightly and \`tieout prices fetch\` request prices, only for the coins and days that the books need. No
  # key is sent. A source that you remove is never contacted; without sources, prices come from your own files and trades.
  sources:
    # The venue's own hourly and daily candles.
    candles: {}
    # The reference rates of the European Central Bank, from its public data service.
    ecb: { url: ${ECB_URL} }
  # Precedence of prices. A price from a later source, however fresh, is used only if no earlier source has a valid one (a
  # price is valid for one day, a price between two fiat currencies for five). ltv and marks are the venue's valuations of
  # lending and positions at each fetch; trades are your own on the order book, p2p your own private deals; others is every
  # source that is not listed, such as your files. A source that is left out is not used to value anything.
  # order: [others, ecb, candles, ltv, marks, trades, p2p]

# Where to send an alert if nightly or sync fails, or if nightly finds new breaks: a small JSON without amounts, secrets or
# personal data, to the standard input of a command (no shell), by POST to a URL (https), or both.
# notify:
#   command: [/usr/local/bin/page-me, --tieout]
#   url: https://example.com/hook
#   on: [failure, new_breaks]

# Memory and threads for the database: by default half of the memory and all processors that this machine, or the
# container's cgroup, allows. A reader (report, sql, export) uses half of that. Anything beyond it spills to disk in tmp/,
# so with less memory a build takes longer. 1GB is enough for four million entries.
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
