// Everything that names the venue. The interface document replaces two of these names by neutral words; another venue
// of the same API family is a new profile, not new code. Source: venue-facts, head and Signing.
import type { Rate } from './endpoint.ts'

export interface VenueProfile {
  readonly name: string
  readonly baseUrl: string
  /** The platform's own coin, in which trading fees may be paid. */
  readonly platformCoin: string
  /** The same in a path: it replaces `{platform-coin}` of a declared path. */
  readonly platformCoinSegment: string
  /** The delegateType that the interface document calls `strategy_<external_chart_platform>_signal`. */
  readonly chartSignalDelegateType: string
  /** What one IP address may send over all endpoints: 6000 a minute, applied as 100 a second. */
  readonly ipRate: Rate
  /** Language of the venue's messages. */
  readonly locale: 'en-US' | 'zh-CN'
}

export const defaultProfile: VenueProfile = {
  name: 'bitget',
  baseUrl: 'https://api.bitget.com',
  platformCoin: 'BGB',
  platformCoinSegment: 'bgb',
  chartSignalDelegateType: 'strategy_tradingview_signal',
  ipRate: { scope: 'ip', count: 100, perMs: 1_000 },
  locale: 'en-US',
}
