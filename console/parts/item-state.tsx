import { itemState } from '../../client/item-state.ts'
import type { Schemas } from '../api/client.ts'
import { groupDigits } from '../core/size-text.ts'
import { shareOf } from '../core/upload-rate.ts'
import { texts } from '../texts/index.ts'
import { State, type StateLook } from './notice.tsx'

/** The state of an item: a shape and a word. */
export function ItemState({ item }: { item: Schemas['Item'] }) {
  const { text, ...look } = lookOf(item)
  return <State {...look}>{text}</State>
}

function lookOf(item: Schemas['Item']): StateLook & { text: string } {
  const { states, merging, uploadingShare, writingOf } = texts.library
  if (item.merging) return { kind: 'busy', block: 'half', text: merging }
  const total = item.transactions ?? 0
  const state = itemState(item)
  switch (state) {
    case 'uploading': {
      const percent = String(Math.floor(shareOf(item.received ?? 0, item.size) * 100))
      return { kind: 'busy', icon: 'up', text: uploadingShare(percent) }
    }
    case 'writing': {
      const text = total > 1 ? writingOf(groupDigits(item.written), groupDigits(total)) : states.writing
      return { kind: 'busy', block: 'half', text }
    }
    case 'unpaid':
      return { kind: 'warn', icon: 'coin', text: states.unpaid }
    case 'stopped':
      return { kind: 'bad', text: states.stopped }
    case 'stored':
      return { block: 'full', text: states.stored }
    case 'unknown':
      return { kind: 'quiet', text: states.unknown }
    default:
      return state satisfies never
  }
}
