/** What an account is notified of as it happens, each with what a webhook's owner reads about it. */
export const EVENT_TYPES = {
  'request.open': 'The money that was seen for a request is not there any more: it waits again.',
  'request.seen': 'The whole amount of a request was seen and waits for its confirmations.',
  'request.settled': 'A request is paid; its items are written.',
  'request.expired': 'A request ended unpaid.',
  'request.cancelled': 'A request was cancelled.',
  'request.late': 'A payment to an ended request, or above its amount, was credited to the balance.',
  'deposit.seen': 'A payment to a deposit address was seen; another address takes its place.',
  'deposit.credited': 'A payment to a deposit address was credited to the balance.',
  'item.merging': 'The upload of an item is complete and is being put together.',
  'item.progress': 'More transactions of an item are on their way or confirmed.',
  'item.stored': 'An item is stored.',
  'item.stopped': 'An item is not written further until an operator acts or its payment is back.',
  'withdrawal.sent': 'A withdrawal was sent.',
  'withdrawal.failed': 'The node refuses a withdrawal: it is not sent before an operator acts.',
  'withdrawal.confirmed': 'A withdrawal has its confirmations; sent again after a reorganisation removed them.',
  'withdrawal.held': 'A withdrawal is above a limit and waits for an operator.',
  'withdrawal.cancelled': 'A withdrawal was cancelled by its owner: the money is back in the balance.',
  'withdrawal.refunded': 'An operator ended a withdrawal: the money is back in the balance.',
  'withdrawal.paid_elsewhere': 'An operator paid a withdrawal in another way.',
  'chain.not_moved':
    'A paid item or a withdrawal on a chain has made no progress for many blocks. Sent only to accounts of operators.',
  'payouts.stopped': 'Payouts of a chain stopped automatically. Sent only to accounts of operators.',
} as const

export type EventType = keyof typeof EVENT_TYPES

/** The events that are sent to webhooks; the others only update an open page. */
export const WEBHOOK_TYPES = [
  'request.seen',
  'request.settled',
  'request.late',
  'deposit.credited',
  'item.stored',
  'item.stopped',
  'withdrawal.sent',
  'withdrawal.failed',
  'withdrawal.confirmed',
  'withdrawal.held',
  'withdrawal.cancelled',
  'withdrawal.refunded',
  'withdrawal.paid_elsewhere',
  'payouts.stopped',
  'chain.not_moved',
] as const satisfies readonly EventType[]
