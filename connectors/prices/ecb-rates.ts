// Where the reference rates of the European Central Bank are published, and for which currencies; used by ecb.ts.

export const ECB_URL = 'https://data-api.ecb.europa.eu/service'

/** Currencies that have or had a reference rate. */
export const ECB_CURRENCIES: readonly string[] = (
  'AUD BGN BRL CAD CHF CNY CZK DKK GBP HKD HRK HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PHP PLN RON RUB SEK SGD ' +
  'THB TRY USD ZAR'
).split(' ')
