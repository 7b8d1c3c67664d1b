import { ITEM_KINDS } from '../../../contract/states.ts'
import { STORAGE_TARGETS, type StorageTarget } from '../../../protocol/chains.ts'
import { texts } from '../../texts/index.ts'

type Kind = (typeof ITEM_KINDS)[number]

/** Where items are stored and of which kind they are, of those that are listed. */
export interface TypeFilter {
  target: StorageTarget | undefined
  kind: Kind | undefined
}

/** The filter that an address names. */
export function readTypeFilter({ target, kind }: Readonly<Record<string, string | undefined>>): TypeFilter {
  return {
    target: STORAGE_TARGETS.find((each) => each === target),
    kind: ITEM_KINDS.find((each) => each === kind),
  }
}

/** Asks where items are stored and of which kind they are. */
export function TypeFilters({ filter, onFilter }: { filter: TypeFilter; onFilter(filter: TypeFilter): void }) {
  return (
    <>
      <select
        class="input sm"
        aria-label={texts.library.head.where}
        onChange={(event) =>
          onFilter({ ...filter, target: readTypeFilter({ target: event.currentTarget.value }).target })
        }
      >
        <option value="">{texts.library.anywhere}</option>
        {STORAGE_TARGETS.map((each) => (
          <option key={each} value={each} selected={each === filter.target}>
            {each}
          </option>
        ))}
      </select>
      <select
        class="input sm"
        aria-label={texts.library.kind}
        onChange={(event) => onFilter({ ...filter, kind: readTypeFilter({ kind: event.currentTarget.value }).kind })}
      >
        <option value="">{texts.library.anyKind}</option>
        {ITEM_KINDS.map((each) => (
          <option key={each} value={each} selected={each === filter.kind}>
            {texts.library.kinds[each]}
          </option>
        ))}
      </select>
    </>
  )
}
