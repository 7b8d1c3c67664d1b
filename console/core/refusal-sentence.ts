import type { StorageTarget } from '../../protocol/chains.ts'
import { texts } from '../texts/index.ts'
import type { Refusal } from './chosen-files.ts'
import { limitText, sizeText } from './size-text.ts'

/** Why a target does not take a file, with the limit and the targets that would. */
export function refusalSentence(
  refusal: Refusal,
  blockchain: StorageTarget,
  targets: readonly { blockchain: StorageTarget; maxFileBytes: number; available: boolean }[],
): string {
  const { path, size, limit, reason } = refusal
  if (reason === 'name') return texts.store.badName(path)
  const others = targets
    .filter((target) => target.available && target.blockchain !== blockchain && target.maxFileBytes >= size)
    .map((target) => target.blockchain)
  const names = others.length > 1 ? `${others.slice(0, -1).join(', ')} or ${others.at(-1)}` : others.join('')
  const instead = names === '' ? '' : texts.store.orChoose(names)
  return texts.store.tooLarge(path, sizeText(size), blockchain, limitText(limit), instead)
}
