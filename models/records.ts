// The records of the history feeds and of the account settings. Interface document, part 2.
import { amount, defineRecord, flag, type Items, json, millis, text } from './record.ts'

const requiredText = { required: true } as const
/** The coin that a record's amounts are in: without it the amounts have no unit. */
const coinOfAmounts = { required: true, filled: true } as const
const productTypes = ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
const stpModes = ['none', 'cancel_taker', 'cancel_maker', 'cancel_both'] as const

/** Interface document, 2.9. The business type and margin type of the query are the partition. */
export const taxRecord = defineRecord({
  table: 'tax_records',
  nature: 'event',
  doc: 'Unified account tax records as sent: every signed change of a coin. Interface document, 4.19.',
  key: ['id'],
  typed: {
    field: 'type',
    vocabulary: 'tax',
    coin: 'coin',
    time: 'ts',
    books: { amount: 'amount', fee: 'fee', balance: 'balance', line: null },
  },
  fields: {
    id: text('Record id, unique at the venue.', requiredText),
    coin: text('Coin that moved.', coinOfAmounts),
    type: text('Tax type, spelled as received.', requiredText),
    amount: amount('Signed change in units of the coin, without the fee.', requiredText),
    fee: amount('Signed fee in units of the coin, negative when charged.'),
    balance: amount('Balance of the coin after the record.'),
    ts: millis('When it happened.', requiredText),
  },
})

/** Interface document, 2.10. */
export const futuresRecord = defineRecord({
  table: 'futures_records',
  nature: 'event',
  doc: 'Futures transaction records as sent. Interface document, 4.20.',
  key: ['id'],
  typed: {
    field: 'futureTaxType',
    vocabulary: 'tax',
    coin: 'marginCoin',
    time: 'ts',
    books: { amount: 'amount', fee: 'fee', symbol: 'symbol', line: null, yieldsToUnified: true },
  },
  fields: {
    id: text('Record id.', requiredText),
    symbol: text('Contract symbol.'),
    marginCoin: text('Margin coin that moved.', coinOfAmounts),
    futureTaxType: text('Futures tax type, spelled as received.', requiredText),
    amount: amount('Signed change in units of the margin coin, without the fee.', requiredText),
    fee: amount('Signed fee in units of the margin coin, negative when charged.'),
    ts: millis('When it happened.', requiredText),
  },
})

/** Interface document, 2.11; older responses call the quantity `total`. */
export const p2pRecord = defineRecord({
  table: 'p2p_records',
  nature: 'event',
  doc: 'P2P transaction records as sent. Interface document, 4.21.',
  key: ['id'],
  typed: {
    field: 'p2pTaxType',
    vocabulary: 'p2p',
    coin: 'coin',
    time: 'ts',
    books: { amount: 'balance', isUnsigned: true, line: 'P2P' },
  },
  fields: {
    id: text('Record id.', requiredText),
    coin: text('Coin that moved.', coinOfAmounts),
    p2pTaxType: text(
      'P2P tax type, spelled as received: transfer_in, transfer_out, buy or sell; also transfer-in and transfer-out.',
      requiredText,
    ),
    balance: amount('Quantity in units of the coin, without a sign.', { required: true, aliases: ['total'] }),
    ts: millis('When it happened.', requiredText),
  },
})

/** Fields that the venue sends today although the interface document does not name them. venue-facts, Wire oddities. */
const beyond = { beyond: true } as const

const orderFieldsBeyond = {
  takeProfit: amount('Take-profit trigger price of the order.', beyond),
  stopLoss: amount('Stop-loss trigger price of the order.', beyond),
  tpTriggerBy: text('Which price triggers the take-profit.', beyond),
  slTriggerBy: text('Which price triggers the stop-loss.', beyond),
  tpOrderType: text('Order type of the take-profit.', beyond),
  slOrderType: text('Order type of the stop-loss.', beyond),
  tpLimitPrice: amount('Limit price of the take-profit.', beyond),
  slLimitPrice: amount('Limit price of the stop-loss.', beyond),
  marginMode: text('Margin mode of the order.', beyond),
  tradeSide: text('Whether the order opens or closes a position.', beyond),
}

/** normal_cancel, from the interface document, and the reasons of the venue's newer pages. venue-facts. */
const cancelReasons = [
  'normal_cancel',
  'trade_too_many_times_cancel',
  'trade_count_too_small',
  'fok_not_full_cancel',
  'ioc_not_full_cancel',
  'post_only_fill_cancel',
  'self_trade_cancel',
  'trade_max_deal_size_cancel',
  'tpsl_plan_cancel',
  'back_contract_cancel',
  'delegated_risk_order_cancel',
  'trader_order_cancel',
  'delivery_order_cancel',
  'modify_limit_order',
  'slippage_cancel',
  'adl_cancel',
  'penetrate_cancel',
  'stp_cancel',
  'call_auction_cancel',
  'limit_price_exceed_cancel',
  'burst_cancel',
  'cancel_receiveWindow',
]

/** Fees paid by an order, one row for each coin. */
const orderFees = (table: string): Items => ({
  table,
  doc: 'Fees of an order so far in one coin, as sent.',
  form: 'objects',
  fields: {
    feeCoin: text('Coin of the fee; null on an order without a fill.'),
    fee: amount('Fee, positive when paid; the opposite sign of the tax records.', { decimals: true }),
  },
})

/** Interface document, 2.3: the fields of open and of past orders. */
const orderFields = (feeTable: string) => ({
  orderId: text('Order id.', requiredText),
  clientOid: text('The client’s own id of the order.'),
  category: text('Product line: SPOT, MARGIN or one of the three futures lines.', {
    values: ['SPOT', 'MARGIN', ...productTypes],
  }),
  symbol: text('Symbol.'),
  orderType: text('limit or market.', { values: ['limit', 'market'] }),
  side: text('buy or sell.', { values: ['buy', 'sell'] }),
  price: amount('Order price in the quote coin; zero or null for a market order, which names none.'),
  qty: amount('Quantity in the base coin.'),
  amount: amount('Quantity in the quote coin (spot and margin).'),
  cumExecQty: amount('Quantity executed so far, base coin.'),
  cumExecValue: amount('Value executed so far, quote coin; may be truncated.'),
  avgPrice: amount('Average execution price.'),
  timeInForce: text('ioc, fok, gtc or post_only; rpi beyond the interface document.', {
    values: ['ioc', 'fok', 'gtc', 'post_only', 'rpi'],
  }),
  orderStatus: text('live, new, partially_filled, filled or cancelled.', {
    values: ['live', 'new', 'partially_filled', 'filled', 'cancelled'],
  }),
  posSide: text('long or short.', { values: ['long', 'short'] }),
  holdMode: text('one_way_mode or hedge_mode.', { values: ['one_way_mode', 'hedge_mode'] }),
  delegateType: text('What kind of order it was. Interface document, 2.3.1.'),
  reduceOnly: text('YES if it may only reduce a position, else NO.', {
    values: ['YES', 'NO', 'yes', 'no'],
  }),
  stpMode: text('Self-trade prevention: none, cancel_taker, cancel_maker or cancel_both.', {
    values: stpModes,
  }),
  feeDetail: json('List of feeCoin and fee; positive when paid, the opposite sign of the tax records.', {
    items: orderFees(feeTable),
  }),
  createdTime: millis('When the order was created.', requiredText),
  updatedTime: millis('When the order last changed.'),
})

/** Trades that no record of the account reports are built from these, and open orders are listed with them. */
const orderFigures = ['price', 'qty', 'amount', 'cumExecQty', 'cumExecValue', 'avgPrice']

/** Interface document, 4.11: orders in the history carry the reason and manner of their end. */
export const order = defineRecord({
  table: 'orders',
  nature: 'life',
  doc: 'Orders as sent, one row for each version seen. The venue keeps 90 days; what was read stays here. Interface document, 4.11.',
  key: ['orderId'],
  version: 'updatedTime',
  figures: orderFigures,
  fields: {
    ...orderFields('order_fee_details'),
    cancelReason: text('Why it was cancelled, such as normal_cancel.', { values: cancelReasons }),
    execType: text('normal, offset, reduce, liquidation or delivery.', {
      values: ['normal', 'offset', 'reduce', 'liquidation', 'delivery'],
    }),
    ...orderFieldsBeyond,
  },
})

/** Interface document, 4.10. */
export const openOrder = defineRecord({
  table: 'open_orders',
  nature: 'snapshot',
  doc: 'Open orders as sent, with when each state was first and last seen. Interface document, 4.10.',
  key: ['orderId'],
  version: 'updatedTime',
  figures: orderFigures,
  fields: {
    ...orderFields('open_order_fee_details'),
    ...orderFieldsBeyond,
  },
})

/** Interface document, 2.12. */
export const p2pOrder = defineRecord({
  table: 'p2p_orders',
  nature: 'life',
  doc: 'Merchant P2P orders as sent, one row for each version seen. Interface document, 4.23.',
  key: ['orderId'],
  version: 'uTime',
  figures: ['count', 'price', 'amount'],
  counterparty: { side: 'side', names: { buy: 'sellerRealName', sell: 'buyerRealName' } },
  fields: {
    orderId: text('Order id.', requiredText),
    orderNo: text('Order number.'),
    advNo: text('Advertisement number.'),
    side: text('buy or sell, from the merchant’s side.', { values: ['buy', 'sell'] }),
    count: amount('Quantity of the coin.'),
    coin: text('Coin.', coinOfAmounts),
    price: amount('Price of one coin in the fiat currency.'),
    fiat: text('Fiat currency.'),
    withdrawTime: millis('When the order was withdrawn.'),
    representTime: millis('When an appeal was made.'),
    releaseTime: millis('When the coins were released.'),
    paymentTime: millis('When the payment was made.'),
    amount: amount('Order amount in the fiat currency.'),
    // The venue's Chinese page of this endpoint has all of them in lower case.
    status: text('pending_pay, Paid, Appeal, Completed or cancelled.', {
      values: ['pending_pay', 'Paid', 'paid', 'Appeal', 'appeal', 'Completed', 'completed', 'cancelled'],
    }),
    buyerRealName: text('Name of the buyer.', { personal: true }),
    sellerRealName: text('Name of the seller.', { personal: true }),
    cTime: millis('When the order was created.', { required: true, aliases: ['ctime'] }),
    uTime: millis('When the order last changed.', { aliases: ['utime'] }),
    paymentInfo: json('Payment method and details.', {
      personal: true,
      items: {
        table: 'p2p_order_payments',
        doc: 'How a P2P order is paid, as sent.',
        form: 'object',
        fields: {
          paymethodName: text('Name of the payment method.'),
          paymethodId: text('Id of the payment method.'),
          paymethodInfo: json('What the payment method asks for, and what was given.', {
            items: {
              table: 'p2p_order_payment_fields',
              doc: 'One detail of how a P2P order is paid, such as the number of an account, as sent.',
              form: 'objects',
              fields: {
                name: text('What is asked for.'),
                required: flag('Whether it has to be given.'),
                type: text('number or file; the interface document says to ignore it.'),
                value: text('What was given.'),
              },
            },
          }),
        },
      },
    }),
  },
})

/** Interface document, 2.6. */
export const accountSettings = defineRecord({
  table: 'account_settings',
  nature: 'snapshot',
  doc: 'Settings of a unified account as sent. Interface document, 4.14.',
  key: ['uid'],
  fields: {
    uid: text('Account uid.', requiredText),
    accountMode: text('unified; hybrid; upgrading to unified; switching to classic.', {
      values: ['unified', 'hybrid', 'upgrading', 'switching'],
    }),
    assetMode: text('multi_assets.', { values: ['multi_assets'] }),
    holdMode: text('one_way_mode or hedge_mode.', { values: ['one_way_mode', 'hedge_mode'] }),
    stpMode: text('Self-trade prevention: none, cancel_taker, cancel_maker or cancel_both.', {
      values: stpModes,
    }),
    symbolConfigList: json('Margin mode and leverage per futures symbol.', {
      items: {
        table: 'account_symbol_settings',
        doc: 'Settings of a unified account for one futures symbol, as sent.',
        form: 'objects',
        fields: {
          category: text('Product line.', { values: productTypes }),
          symbol: text('Contract symbol.'),
          marginMode: text('Margin mode.', { values: ['crossed', 'isolated'] }),
          leverage: amount('Leverage.'),
        },
      },
    }),
    coinConfigList: json('Leverage per coin.', {
      items: {
        table: 'account_coin_settings',
        doc: 'Settings of a unified account for one coin, as sent.',
        form: 'objects',
        fields: { coin: text('Coin.'), leverage: amount('Leverage.') },
      },
    }),
    accountLevel: text('basic, advanced, isolated or delta.', {
      values: ['basic', 'advanced', 'isolated', 'delta'],
      ...beyond,
    }),
  },
})
