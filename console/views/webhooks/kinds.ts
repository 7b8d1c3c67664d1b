import { WEBHOOK_TYPES } from '../../../contract/event-types.ts'
import { webhookTexts } from '../../texts/webhooks.ts'

export const KINDS = ['items', 'payments', 'withdrawals', 'service'] as const
export type Kind = (typeof KINDS)[number]

type Type = (typeof WEBHOOK_TYPES)[number]

const BEGINNINGS: Record<string, Kind> = {
  item: 'items',
  request: 'payments',
  deposit: 'payments',
  withdrawal: 'withdrawals',
}

/** The name of an event type for users. */
function kindOfType(type: Type): Kind {
  return BEGINNINGS[type.split('.')[0] ?? ''] ?? 'service'
}

/** The event types of some kinds. */
export function typesOf(kinds: ReadonlySet<Kind>): Type[] {
  return WEBHOOK_TYPES.filter((type) => kinds.has(kindOfType(type)))
}

/** The kinds of events that a webhook receives; a kind counts if some of its types are sent. */
export function kindsOf(types: readonly Type[]): string[] {
  const told = new Set(types.map(kindOfType))
  return KINDS.filter((kind) => told.has(kind)).map((kind) => webhookTexts.kinds[kind])
}
