// Public market data that the venue keeps for only a few days. Interface document, part 2.
import { amount, defineRecord, millis, text } from './record.ts'

/** Interface document, 2.8. The venue gives no id, so records are distinguished by their content. */
export const liquidation = defineRecord({
  table: 'liquidations',
  nature: 'event',
  doc: 'Market liquidations as sent. The venue keeps three days and reports them with a delay; what was read stays here. Interface document, 4.18.',
  key: [],
  fields: {
    symbol: text('Contract symbol.', { required: true }),
    side: text('buy: a long position was liquidated; sell: a short one.', { values: ['buy', 'sell'] }),
    price: amount('Price.'),
    amount: amount('Quantity.'),
    ts: millis('When it happened.', { required: true }),
  },
})
