import type { StorageTarget } from '../../protocol/chains.ts'
import { texts } from '../texts/index.ts'
import { region } from '../texts/language.ts'
import { type Limits, mostBytes, type Refusal } from './chosen-files.ts'
import { limitText, sizeText } from './size-text.ts'

const OR = new Intl.ListFormat(region, { type: 'disjunction' })

/** Why a target refuses a file, or a folder as one website, with the limit and other targets. */
export function refusalSentence(
  refusal: Refusal,
  blockchain: StorageTarget,
  targets: readonly (Limits & { blockchain: StorageTarget; available: boolean })[],
  website = false,
): string {
  const { path, size, limit, reason } = refusal
  if (reason === 'name') return texts.store.badName(path)
  if (reason === 'deep') return texts.store.tooDeep(path, limit)
  const others = targets
    .filter((target) => target.available && target.blockchain !== blockchain && mostBytes(target) >= size)
    .map((target) => target.blockchain)
  const names = OR.format(others)
  const instead = names === '' ? '' : texts.store.orChoose(names)
  const rounded = [sizeText(size), limitText(limit)] as const
  // Rounded values could be equal; then both are shown exactly.
  const [is, takes] = rounded[0] === rounded[1] ? [texts.store.exactly(size), texts.store.exactly(limit)] : rounded
  return (website ? texts.store.websiteTooLarge : texts.store.tooLarge)(path, is, blockchain, takes, instead)
}
