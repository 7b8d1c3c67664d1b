/** What an account is notified of as it happens, each with what a webhook's owner reads about it. */
export const EVENT_TYPES = {
  'request.open': 'The money that was seen for a request is not there any more: it waits again.',
  'request.seen': 'The whole amount of a request was seen and waits for its confirmations.',
  'request.settled': 'A request is paid; its items are written.',
  'request.expired': 'A request ended unpaid.',
  'request.cancelled': 'A request was cancelled.',
  'request.late': 'Money that came to a request that was over, or beyond its amount, became balance.',
  'deposit.credited': 'Money that came to a deposit address became balance.',
  'item.merging': 'The upload of an item is complete and is being put together.',
  'item.progress': 'More transactions of an item are on their way or confirmed.',
  'item.stored': 'An item is stored.',
  'item.stopped': 'An item is not written further until an operator acts or its payment is back.',
  'withdrawal.sent': 'A withdrawal was sent.',
  'withdrawal.failed': 'The node refuses a withdrawal: it is not sent before an operator acts.',
  'withdrawal.confirmed': 'A withdrawal has its confirmations; again where a reorganisation had taken them away.',
  'withdrawal.held': 'A withdrawal is above a limit and waits for an operator.',
  'withdrawal.cancelled': 'A withdrawal was cancelled by its owner: the money is back in the balance.',
  'withdrawal.refunded': 'An operator ended a withdrawal: the money is back in the balance.',
  'withdrawal.paid_elsewhere': 'An operator paid a withdrawal in another way.',
  'chain.not_moved':
    'Something paid on a chain has not moved for many blocks. Accounts that operate the service alone are told.',
  'payouts.stopped': 'Payouts of a chain stopped by themselves. Accounts that operate the service alone are told.',
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
