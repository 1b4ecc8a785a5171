// What the interface document says of the endpoints convert.*, in words of our own: see stated.ts.
import { gone, type Stated } from './stated.ts'

export const convert: Readonly<Record<string, Stated>> = {
  'convert.smallBalances': {
    section: '4.24',
    request: 'POST /api/v2/convert/bgb-convert',
    writes: true,
    rate: { count: 10, perMs: 1_000, scope: 'uid' },
    good: { coinList: ['SHIB'] },
    goodAtVenue: () => ({ coinList: ['PEPE'] }),
    broken: [
      [{ coinList: gone }, 'coinList is required'],
      [{ coinList: [] }, 'coinList must not be an empty list', 'here'],
    ],
    publicClient: ({ v2 }) => v2.convertBGB({ coinList: ['PEPE'] } as never),
  },
}
